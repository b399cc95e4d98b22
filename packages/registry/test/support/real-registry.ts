/** Real registries as processes on loopback: Debian's docker-registry (distribution 2), and distribution 3. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@kurator/testenv';
import type { Tls } from './scripted-server.ts';

/** Those that this machine has, by what a test calls them. */
export const programs: readonly { readonly title: string; readonly program: string }[] = [
  { title: 'distribution 2', program: onPath('docker-registry') },
  // `npm run test:integration` builds it with Go.
  { title: 'distribution 3', program: process.env.KURATOR_TEST_REGISTRY ?? '' },
].filter(({ program }) => isThere(program));

/** What a registry asks of those who come. */
export interface RegistryRules {
  /** Lines of an htpasswd file. */
  readonly htpasswd?: string;
  /** Where tokens are had, and who signs them. */
  readonly tokens?: {
    readonly realm: string;
    readonly service: string;
    readonly issuer: string;
    readonly cert: string;
  };
  readonly tls?: Tls;
}

const PATIENCE = 60_000;

/** One that runs. */
export class RealRegistry implements AsyncDisposable {
  /** As image names begin with it. */
  readonly host: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(host: string, child: ChildProcess, folder: string) {
    this.host = host;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(program: string, rules: RegistryRules = {}): Promise<RealRegistry> {
    const folder = await mkdtemp(join(tmpdir(), 'kurator-registry-'));
    const port = await freePort();
    const config = join(folder, 'config.yml');
    await writeFile(config, JSON.stringify(await configuration(folder, port, rules)));
    const child = spawn(program, ['serve', config], { stdio: 'ignore', env: { OTEL_TRACES_EXPORTER: 'none' } });
    const registry = new RealRegistry(`${rules.tls ? 'localhost' : '127.0.0.1'}:${port}`, child, folder);
    try {
      await answers(port, child);
      return registry;
    } catch (error) {
      await registry[Symbol.asyncDispose]();
      throw error;
    }
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

/** JSON is YAML too. */
async function configuration(folder: string, port: number, { htpasswd, tokens, tls }: RegistryRules): Promise<object> {
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const { cert, ...token } = tokens ?? { cert: '' };
  return {
    version: 0.1,
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
    http: {
      addr: `127.0.0.1:${port}`,
      ...(tls ? { tls: { certificate: await file('tls.crt', tls.cert), key: await file('tls.key', tls.key) } } : {}),
    },
    ...(htpasswd ? { auth: { htpasswd: { realm: 'test', path: await file('htpasswd', htpasswd) } } } : {}),
    ...(tokens ? { auth: { token: { ...token, rootcertbundle: await file('tokens.crt', cert) } } } : {}),
  };
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  const isUp = async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) !== undefined;
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`the registry ended by itself: ${child.exitCode}`);
    if (Date.now() > deadline) throw new Error('the registry did not answer in time');
    await delay(50);
  }
}

function onPath(name: string): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isThere) ?? name;
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
