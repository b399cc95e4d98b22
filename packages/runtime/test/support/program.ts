/** A program of the tests as a process of its own, so that it can be killed, frozen and told to end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly child: ChildProcess;
  /** What it printed so far: JSON, an object a line. */
  readonly lines: Record<string, unknown>[];
  /** What it wrote to standard error so far. */
  readonly errors: string[];
  /** Its exit code or the signal that ended it, once all that it printed is here. */
  readonly ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>;
}

/** A third of the time to start: the tests start many. */
const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'kurator-test-programs') };
/** Most of them are killed, and who is killed leaves nothing compiled behind. */
const flush = "import { flushCompileCache } from 'node:module'; setTimeout(flushCompileCache, 1000).unref();";

/** Starts `support/NAME.ts`, whose name ends with `-process`; it is killed when the signal fires. */
export function startProgram(
  name: `${string}-process`,
  args: readonly string[],
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = {},
): Program {
  const path = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--import', `data:text/javascript,${flush}`, path, ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...compiled, ...env },
    },
  );
  const lines: Record<string, unknown>[] = [];
  const errors: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  return { child, lines, errors, ended: once(child, 'close') as Program['ended'] };
}
