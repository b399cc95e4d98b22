/** etcd's own judge beside one cluster: writes and reads while others break it, and says afterwards whether a promise was broken. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
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

/** How members are found of whoever looks after the cluster. */
export interface Habits {
  /** Pods that serve clients. */
  selector(name: string): string;
  isServing(pod: Pod): boolean;
  /** The name in a member's certificate. */
  serverName(pod: Pod, place: Place): string;
  /** Where a process has its data, by its command line; undefined where it is none of these pods. */
  dataOf(words: readonly string[], pods: readonly Pod[], place: Place): string | undefined;
}

const ours: Habits = {
  selector: (name) => `etcd.kurator.sh/cluster=${name},etcd.kurator.sh/voter=true`,
  isServing: () => true,
  serverName: ({ metadata }, { name, namespace }) => `${metadata.name}.${name}.${namespace}.svc`,
  dataOf(words, pods) {
    const isMember = pods.some(({ metadata }) => words.includes(`--name=${metadata.name}`));
    const data = words.find((word) => word.startsWith('--data-dir='));
    return isMember && /^(.*\/)?etcd$/.test(words[0] ?? '') ? data?.slice('--data-dir='.length) : undefined;
  },
};

/** How it goes about it; everything has a default. */
export interface JudgeOptions {
  /** Requests in a second at most; 100 unless given. */
  readonly qps?: number;
  /** Of this repository's operator unless given. */
  readonly habits?: Habits;
}

/** How often it is told who votes now. */
const LOOK = 250;

export class Judge implements AsyncDisposable {
  readonly #client: Client;
  readonly #place: Place;
  readonly #habits: Habits;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #said = '';
  #leading: Promise<void> = Promise.resolve();
  #isOver = false;

  private constructor(client: Client, place: Place, habits: Habits) {
    this.#client = client;
    this.#place = place;
    this.#habits = habits;
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
  static async begin(client: Client, place: Place, options: JudgeOptions = {}): Promise<Judge> {
    const { qps = 100, habits = ours } = options;
    const judge = new Judge(client, place, habits);
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
    const pods = await this.#voters();
    const data = await dataFolders((words) => this.#habits.dataOf(words, pods, this.#place));
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
    const labelSelector = this.#habits.selector(name);
    const { items } = await this.#client.list(Pod, { namespace, labelSelector });
    const isThere = ({ metadata, status }: Pod) => !metadata.deletionTimestamp && status?.podIP !== undefined;
    const voters = items.filter((pod) => isThere(pod) && this.#habits.isServing(pod));
    return voters.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  /** Whom clients believe, what they show, and who votes. */
  async #situation() {
    const { name, namespace } = this.#place;
    const { data = {} } = await this.#client.get(Secret, { name: `${name}-client-tls`, namespace });
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
    const members = (await this.#voters()).map((pod) => ({
      address: pod.status?.podIP,
      serverName: this.#habits.serverName(pod, this.#place),
    }));
    return { tls: { ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') }, members };
  }
}

/** Where members have their data, as this machine sees it: through their processes, wherever their volumes are mounted. */
async function dataFolders(dataOf: (words: readonly string[]) => string | undefined): Promise<string[]> {
  const folders: string[] = [];
  for (const process of await readdir('/proc')) {
    // What is no process has no command line, and one may end at any moment.
    const words = (await readFile(`/proc/${process}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const data = dataOf(words);
    if (data !== undefined) folders.push(`/proc/${process}/root${data}`);
  }
  return folders;
}
