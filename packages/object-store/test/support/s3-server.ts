/** A real server of S3: versitygw. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@kurator/testenv';

const START_TIMEOUT = 30_000;

export const credentials = { accessKeyId: 'kurator', secretAccessKey: 'not-a-secret-but-long-enough' };

/** The program: `npm test` brings it, and so does the stage by itself. */
function obtainVersitygw(): string {
  const program = process.env.KURATOR_TEST_VERSITYGW;
  if (!program) throw new Error('There is no server of S3: `npm run test:integration` builds it with Go.');
  return program;
}

/** What a server may be started with. */
export interface S3ServerOptions {
  readonly region?: string;
  /** Paths of a certificate and its key. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** One that runs, with its data in a folder of its own. */
export class S3Server implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #data: string;

  private constructor(url: string, child: ChildProcess, folder: string, data: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
    this.#data = data;
  }

  static async start({ region = 'us-east-1', tls }: S3ServerOptions = {}): Promise<S3Server> {
    const program = obtainVersitygw();
    const folder = await mkdtemp(join(tmpdir(), 'versitygw-'));
    const data = join(folder, 'data');
    await mkdir(data);
    const port = await freePort();
    const listening = ['--port', `127.0.0.1:${port}`, '--health', '/health', '--region', region];
    const certificate = tls ? ['--cert', tls.cert, '--key', tls.key] : [];
    const args = ['--quiet', '--keep-alive', ...listening, ...certificate, 'posix', data];
    const env = { ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey };
    const child = spawn(program, args, { env, stdio: 'ignore' });
    const server = new S3Server(`${tls ? 'https' : 'http'}://127.0.0.1:${port}`, child, folder, data);
    await waitForPort(port);
    return server;
  }

  /** Makes a bucket: to this server a folder is one. */
  async createBucket(name: string): Promise<string> {
    await mkdir(join(this.#data, name));
    return name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function waitForPort(port: number): Promise<void> {
  const { connect } = await import('node:net');
  const deadline = Date.now() + START_TIMEOUT;
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('connect', () => socket.destroy()).once('error', () => resolve(false));
    });
    if (isOpen) return;
    if (Date.now() > deadline) throw new Error(`versitygw did not listen on port ${port} in ${START_TIMEOUT} ms`);
    await sleep(20);
  }
}
