/** A real second process that runs a few lines of this package's code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process and what it has printed so far. */
export interface Child {
  readonly pid: number;
  readonly output: () => string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended and all that it printed has been read. */
  readonly ended: Promise<unknown>;
}

/** Starts Node with an ES module's source, in which `import.meta.resolve`d names must be absolute. */
export function startChild(source: string, env: NodeJS.ProcessEnv = process.env): Child {
  const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', source], {
    env: { NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return {
    pid: Number(child.pid),
    output: () => output,
    kill: (signal) => child.kill(signal),
    ended: once(child, 'close'),
  };
}
