/** Runs the `go` command, line by line, so that a build of minutes can be followed and stopped. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { TestenvError } from '../error.ts';
import { environmentFor, type GoToolchain } from './go-toolchain.ts';

/** How one call is made. */
export interface GoOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  /** Hears each line of standard error, where Go says what it is doing. */
  onLine?: (line: string) => void;
}

/** After an interrupt Go finishes the packages in hand and clears up; if it takes longer than this it is killed. */
const GRACE = 5_000;
const LINES_TO_QUOTE = 8;

/** Runs `go` to its end and gives its standard output. A failure quotes what Go said last. */
export async function runGo(go: GoToolchain, args: readonly string[], options: GoOptions): Promise<string> {
  options.signal?.throwIfAborted();
  // Standard error is a pipe on purpose: should this process be killed, Go dies of it at the next line it prints.
  const env = environmentFor(go.program, options.env);
  const child = spawn(go.program, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const interrupt = () => {
    child.kill('SIGINT');
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE);
    child.once('exit', () => clearTimeout(timer));
  };
  options.signal?.addEventListener('abort', interrupt, { once: true });
  const last: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    last.push(line);
    if (last.length > LINES_TO_QUOTE) last.shift();
    options.onLine?.(line);
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  try {
    const code = await ended(child);
    options.signal?.throwIfAborted();
    if (code === 0) return stdout;
    const said = [...last, ...stdout.trim().split('\n').slice(-LINES_TO_QUOTE)].join('\n').trim();
    throw new TestenvError('KUR_TESTENV_GO', `\`go ${args[0]} ${args[1] ?? ''}\` failed (${code}): ${said}`);
  } finally {
    options.signal?.removeEventListener('abort', interrupt);
  }
}

async function ended(child: ReturnType<typeof spawn>): Promise<number | string> {
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'no exit code'));
  });
}
