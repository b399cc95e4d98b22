/** etcd's own judge beside one cluster: writes and reads while others break it, and says afterwards whether a promise was broken. */
import { type ChildProcess, spawn } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, Pod, Secret } from '@kurator/client';

/** What benchmarks/etcd/judge says at the end. */
export interface Verdict {
  /** What etcd's validator found; empty where etcd kept all its promises. */
  readonly violation: string;
  /** Why it could not be judged. */
  readonly trouble?: string;
  readonly operations: number;
  readonly failed: number;
  readonly watchEvents: number;
  readonly acknowledged: number;
  /** Acknowledged writes that are in no member's log. */
  readonly lost: number;
  /** The longest time without a successful write of anybody, and when it began, in milliseconds since 1970. */
  readonly gapMs: number;
  readonly gapAt: number;
  readonly took: number;
}

/** A false record, which the validator must find: a write that was never sent counts as acknowledged, or a watch misses an event. */
export type JudgeMutant = 'acknowledged' | 'event';

interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** How often it is told who votes now. */
const LOOK = 250;

export class Judge implements AsyncDisposable {
  readonly #client: Client;
  readonly #place: Place;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #said = '';
  #leading: Promise<void> = Promise.resolve();
  #isOver = false;

  private constructor(client: Client, place: Place) {
    this.#client = client;
    this.#place = place;
    const program = process.env.KURATOR_TEST_ETCD_JUDGE;
    if (!program) throw new Error('There is no judge: `npm run test:e2e` builds benchmarks/etcd/judge with Go.');
    this.#child = spawn(program, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin?.on('error', () => {});
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-100_000);
    });
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** Begins on a cluster that runs, and that nobody has written to. */
  static async begin(client: Client, place: Place, qps = 100): Promise<Judge> {
    const judge = new Judge(client, place);
    await judge.#ask({ qps, ...(await judge.#situation()) });
    judge.#leading = judge.#lead();
    return judge;
  }

  /** Ends the traffic. The cluster must be able to write. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#leading;
    await this.#ask({ end: true });
  }

  /** Judges what was recorded, by that and by what is on the members' disks. */
  async verdict(mutant?: JudgeMutant): Promise<Verdict> {
    const data = await dataFolders(await this.#voters());
    return (await this.#ask({ data, mutant })) as Verdict;
  }

  /** What the validator printed: what differs, where it found something. */
  get said(): string {
    return this.#said;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#leading;
    this.#child.kill('SIGKILL');
  }

  async #ask(order: object): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the judge ended: ${this.#said.slice(-2000)}`);
    return JSON.parse(value) as unknown;
  }

  async #lead(): Promise<void> {
    let told = '';
    while (!this.#isOver) {
      const situation = await this.#situation().catch(() => undefined);
      const text = JSON.stringify(situation);
      if (situation && text !== told) this.#child.stdin?.write(`${text}\n`);
      told = text ?? told;
      await delay(LOOK);
    }
  }

  async #voters(): Promise<Pod[]> {
    const { name, namespace } = this.#place;
    const labelSelector = `etcd.kurator.sh/cluster=${name},etcd.kurator.sh/voter=true`;
    const { items } = await this.#client.list(Pod, { namespace, labelSelector });
    const voters = items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.podIP);
    return voters.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  /** Whom clients believe, what they show, and who votes. */
  async #situation() {
    const { name, namespace } = this.#place;
    const { data = {} } = await this.#client.get(Secret, { name: `${name}-client-tls`, namespace });
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
    const members = (await this.#voters()).map(({ metadata, status }) => ({
      address: status?.podIP,
      serverName: `${metadata.name}.${name}.${namespace}.svc`,
    }));
    return { tls: { ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') }, members };
  }
}

/** Where members have their data, as this machine sees it: through their processes, wherever their volumes are mounted. */
async function dataFolders(pods: readonly Pod[]): Promise<string[]> {
  const folders: string[] = [];
  const wanted = new Set(pods.map(({ metadata }) => `--name=${metadata.name}`));
  for await (const file of glob('/proc/[0-9]*/cmdline')) {
    const words = (await readFile(file, 'utf8').catch(() => '')).split('\0');
    const name = words.find((word) => wanted.has(word));
    const data = words.find((word) => word.startsWith('--data-dir='));
    if (name === undefined || data === undefined || !/^(.*\/)?etcd$/.test(words[0] ?? '')) continue;
    folders.push(file.replace(/cmdline$/, `root${data.slice('--data-dir='.length)}`));
  }
  return folders;
}
