/** Asks a program that keeps log-ins: github.com/docker/docker-credential-helpers. */
import { spawn } from 'node:child_process';
import { RegistryError } from '../error.ts';
import { isRecord, jsonIn } from '../json.ts';
import type { RegistryCredentials } from './credentials.ts';

/** How long it may take: it may have to ask a person, or a cloud. */
const PATIENCE = 30_000;
/** In bytes. A token has a few thousand. */
const LONGEST_ANSWER = 64 * 1024;
const NAME = /^[\w.-]+$/;

/** What is asked, and what may cut it short. */
export interface ProgramQuestion {
  /** What follows `docker-credential-`. */
  readonly program: string;
  /** The name by which it knows the registry. */
  readonly key: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds; 30 s unless told. */
  readonly patience?: number | undefined;
}

/** Undefined where the program isn't there, or knows nothing: that is as if nobody had logged in. */
export async function askProgram(question: ProgramQuestion): Promise<RegistryCredentials | undefined> {
  const { program, key } = question;
  if (!NAME.test(program))
    throw failed(question, `is no name of a program`, 'Write only what follows `docker-credential-`.');
  const answer = await run(question);
  if (answer === undefined) return undefined;
  const value = jsonIn(answer);
  if (!isRecord(value)) throw failed(question, `gave no JSON object for ${key}`, 'Mend the program, or log in anew.');
  const { Username: username, Secret: secret } = value;
  if (typeof username !== 'string' || typeof secret !== 'string' || secret === '') return undefined;
  return username === '<token>' ? { identityToken: secret } : { username, password: secret };
}

async function run(question: ProgramQuestion): Promise<string | undefined> {
  const { program, key, environment, signal, patience = PATIENCE } = question;
  const child = spawn(`docker-credential-${program}`, ['get'], { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
  const chunks: Buffer[] = [];
  let size = 0;
  let trouble: unknown;
  const stop = (why: unknown) => {
    trouble ??= why;
    child.kill('SIGKILL');
    // What it started may hold the pipe open.
    child.stdout.destroy();
  };
  const timer = setTimeout(() => {
    stop(failed(question, `took longer than ${patience / 1000} s`, 'Run it by hand, and see what it waits for.'));
  }, patience);
  const abort = () => stop(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  child.stdin.on('error', () => {});
  child.stdin.end(key);
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size <= LONGEST_ANSWER) chunks.push(chunk);
    else stop(failed(question, `gave more than ${LONGEST_ANSWER / 1024} KiB`, 'Mend the program.'));
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null)).once('close', resolve);
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
  if (trouble !== undefined) throw trouble;
  return code === 0 ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function failed({ program }: ProgramQuestion, how: string, remedy: string): RegistryError {
  return new RegistryError('KUR_REGISTRY_CREDENTIALS', `The credential helper ${JSON.stringify(program)} ${how}.`, {
    remedy,
  });
}
