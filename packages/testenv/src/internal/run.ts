import { execFile } from 'node:child_process';
import { pipeline, Readable } from 'node:stream';
import { TestenvError } from '../error.ts';
import { patient } from './patience.ts';
import { completePath } from './which.ts';

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string | Uint8Array | Readable;
  signal?: AbortSignal;
  /** Milliseconds, times `KURATOR_PATIENCE`; 60 s unless told. */
  timeout?: number;
}

export interface RunResult {
  stdout: string;
  stderr: string;
}

const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** Runs a program to its end; a failure becomes an error that quotes the last lines of what it said. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { input, timeout: usual = 60_000, env = process.env, ...rest } = options;
  const timeout = patient(usual);
  // What nodes are made with often lies where an ordinary login does not look: /usr/sbin.
  const complete = { ...env, PATH: completePath(env.PATH) };
  return await new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { ...rest, env: complete, timeout, killSignal: 'SIGKILL', maxBuffer: OUTPUT_LIMIT },
      (error, stdout, stderr) => {
        if (!error) return resolve({ stdout, stderr });
        if (options.signal?.aborted) return reject(options.signal.reason);
        reject(commandFailed([command, ...args].join(' '), error, stderr || stdout, timeout));
      },
    );
    child.stdin?.on('error', () => {});
    if (input instanceof Readable && child.stdin) pipeline(input, child.stdin, () => {});
    else child.stdin?.end(input);
  });
}

function commandFailed(
  line: string,
  error: Error & { code?: unknown; killed?: boolean },
  output: string,
  timeout: number,
) {
  const said = output.trim().split('\n').slice(-5).join('\n');
  const how =
    error.code === 'ENOENT'
      ? 'is not installed'
      : error.killed
        ? `did not finish within ${timeout / 1000} s`
        : `failed with ${typeof error.code === 'number' ? `exit code ${error.code}` : error.message}`;
  return new TestenvError('KUR_TESTENV_COMMAND', `\`${line}\` ${how}${said ? `: ${said}` : ''}`, { cause: error });
}
