/** A real Alertmanager, built once from its published Go module and kept in the cache. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { constants, homedir, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The newest one whose module has the files of its web pages in it: later ones are published without, and don't build. */
const version = 'v0.31.1';
const MODULE = 'github.com/prometheus/alertmanager/cmd/alertmanager';
const BUILD_TIMEOUT = 15 * 60_000;

/** The program, or why there is none, in one sentence. */
export type Obtained = { readonly program: string } | { readonly missing: string };

/** Builds it if it was never built on this machine: that takes minutes. */
export async function obtainAlertmanager(): Promise<Obtained> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'alertmanager');
  const folder = join(cache, `${version}-${process.platform}-${process.arch}`);
  const program = join(folder, 'alertmanager');
  const isThere = async () =>
    await access(program).then(
      () => true,
      () => false,
    );
  if (await isThere()) return { program };
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(`${folder}.`);
  try {
    await goInstall(making);
    // Somebody else may have been quicker.
    await rename(making, folder).catch(async (error) => {
      if (!(await isThere())) throw error;
    });
    return { program };
  } catch (error) {
    return { missing: `Alertmanager ${version} could not be built with Go: ${firstLine(error)}` };
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function goInstall(folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' };
  const args = ['install', '-trimpath', '-ldflags', '-s -w', `${MODULE}@${version}`];
  const building = promisify(execFile)('go', args, { env, timeout: BUILD_TIMEOUT, maxBuffer: 2 ** 26 });
  const { pid } = building.child;
  if (pid) setPriority(pid, constants.priority.PRIORITY_LOW);
  await building;
}

function firstLine(error: unknown): string {
  const { code, stderr = '', message } = error as { code?: unknown; stderr?: string; message: string };
  if (code === 'ENOENT') return 'there is no go on the PATH.';
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('go: downloading'));
  return lines[0] ?? message;
}

/** One of its alerts, as `GET /api/v2/alerts` has it. */
export interface KnownAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

/** One that runs. */
export class Alertmanager implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  /**
   * Starts it, by itself, with a receiver that does nothing.
   *
   * @param host An address of this machine; loopback unless given.
   */
  static async start(program: string, host = '127.0.0.1'): Promise<Alertmanager> {
    const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'));
    const config = join(folder, 'alertmanager.yml');
    await writeFile(config, 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n');
    const address = `${host}:${await freePort(host)}`;
    const args = [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
    ];
    const child = spawn(program, args, { stdio: 'ignore' });
    return new Alertmanager(`http://${address}`, child, folder);
  }

  /** The alerts that last. */
  async alerts(): Promise<KnownAlert[]> {
    const answer = await fetch(`${this.url}/api/v2/alerts`);
    if (!answer.ok) throw new Error(`Alertmanager answered ${answer.status}`);
    return (await answer.json()) as KnownAlert[];
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

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
