/** A real Alertmanager. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@kurator/testenv';

/** The program, or why there is none, in one sentence. */
export type Obtained = { readonly program: string } | { readonly missing: string };

/** `npm test` brings it, and so do its stages by themselves. */
export function obtainAlertmanager(): Obtained {
  const program = process.env.KURATOR_TEST_ALERTMANAGER;
  return program ? { program } : { missing: 'There is no Alertmanager: `npm run test:integration` builds it with Go.' };
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
