/**
 * The checks of an operator, each run when it is due: tens of thousands of them, over as many threads as they need.
 * Reports single results; whether they mean a fault, and how often to look, is decided by who gets them.
 */
import { availableParallelism } from 'node:os';
import type { Check, CheckKey } from './check.ts';
import type { CheckResult, Measurement } from './check-result.ts';
import type { CheckClock } from './clock.ts';
import type { Shard } from './pool/shard.ts';
import { assertThreadProgram, WorkerShard } from './pool/worker-shard.ts';
import type { Exec } from './probes/exec-probe.ts';
import { prepareProbe } from './probes/prepare-probe.ts';
import { CheckLoop } from './scheduler/check-loop.ts';
import { type CheckStatistics, sumOfStatistics } from './scheduler/statistics.ts';

/** How checks are run. */
export interface CheckSchedulerOptions {
  /** Gets each result. The number it gives, if any, is the check's interval in milliseconds from now on. */
  onResult(result: CheckResult): number | undefined;
  /** Runs commands in containers. Without it such checks read unknown. */
  readonly exec?: Exec;
  /** Threads for checks, at most; started as checks come. 0 runs them in this one. Default: the cores, at most 4. */
  readonly threads?: number;
  /** How many may run at once, a thread. Default 2048: more than file descriptors allow read unknown. */
  readonly maxConcurrent?: number;
  /** How many may run at once against one host, or in one pod. Default 64. */
  readonly maxPerHost?: number;
  /** By how much of an interval it is shortened at random, at most: 0 to 1. Default 0.05. */
  readonly jitter?: number;
  /** For tests, with `threads: 0`. */
  readonly clock?: CheckClock;
}

interface Entry {
  readonly id: number;
  readonly member: Member;
  check: Check;
}

/** A shard with what it has to do: the sum of its checks' rates, in checks a second. */
interface Member {
  readonly shard: Shard;
  load: number;
}

/** What one thread does with ease: a core can do some five times as much. */
const CHECKS_PER_SECOND_PER_THREAD = 2500;
/** Each is a stream through the API server. */
const MOST_EXECS = 32;

const keyOf = ({ target, check }: CheckKey) => `${target}\n${check}`;
const loadOf = (intervalMs: number) => 1000 / intervalMs;
const inRange = (value: number, most: number) => value >= 1 && value <= most;

/**
 * Runs checks until they are removed; see the options for how. Close it, or its threads keep the process alive.
 *
 * @throws Where threads are wanted and their program is not beside this one, as in a bundle without it.
 */
export class CheckScheduler {
  readonly #options: CheckSchedulerOptions;
  readonly #threads: number;
  readonly #byKey = new Map<string, Entry>();
  readonly #byId: (Entry | undefined)[] = [];
  readonly #freeIds: number[] = [];
  readonly #members: Member[] = [];
  #execs: Member | undefined;

  constructor(options: CheckSchedulerOptions) {
    this.#options = options;
    this.#threads = options.threads ?? Math.min(availableParallelism(), 4);
    if (this.#threads > 0) assertThreadProgram();
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Adds a check, or changes it. With the same probe and timeout only the interval changes, and nothing is broken off. */
  set(check: Check): void {
    assertTimes(check);
    const entry = this.#byKey.get(keyOf(check));
    if (!entry) {
      this.#add(check);
      return;
    }
    const isSame = entry.check.probe === check.probe && entry.check.timeoutMs === check.timeoutMs;
    const isExec = (of: Check) => of.probe.kind === 'exec';
    if (isSame) {
      this.setInterval(check, check.intervalMs);
    } else if (isExec(check) !== isExec(entry.check)) {
      this.remove(check);
      this.#add(check);
    } else {
      this.#adjust(entry, check);
      entry.member.shard.set(entry.id, check);
    }
  }

  /** Nothing is reported of it any more. */
  remove(key: CheckKey): void {
    const entry = this.#byKey.get(keyOf(key));
    if (!entry) return;
    entry.member.load -= loadOf(entry.check.intervalMs);
    entry.member.shard.remove(entry.id);
    this.#byKey.delete(keyOf(key));
    this.#byId[entry.id] = undefined;
    this.#freeIds.push(entry.id);
  }

  /** How often it is run, from now on. */
  setInterval(key: CheckKey, intervalMs: number): void {
    const entry = this.#byKey.get(keyOf(key));
    if (!entry || entry.check.intervalMs === intervalMs) return;
    const check = { ...entry.check, intervalMs };
    assertTimes(check);
    this.#adjust(entry, check);
    entry.member.shard.setInterval(entry.id, intervalMs);
  }

  /** One run besides the regular ones, now; where one is under way, right after it. */
  checkNow(key: CheckKey): void {
    const entry = this.#byKey.get(keyOf(key));
    entry?.member.shard.checkNow(entry.id);
  }

  statistics(): CheckStatistics {
    return sumOfStatistics(this.#all().map(({ shard }) => shard.statistics()));
  }

  /** Ends threads and connections; nothing is reported any more. */
  async close(): Promise<void> {
    this.#byKey.clear();
    this.#byId.length = 0;
    await Promise.all(this.#all().map(({ shard }) => shard.close()));
  }

  #all(): Member[] {
    return this.#execs ? [...this.#members, this.#execs] : this.#members;
  }

  #add(check: Check): void {
    const member = check.probe.kind === 'exec' ? this.#execMember() : this.#leastLoaded();
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const entry = { id, member, check };
    this.#byId[id] = entry;
    this.#byKey.set(keyOf(check), entry);
    member.load += loadOf(check.intervalMs);
    member.shard.set(id, check);
  }

  #adjust(entry: Entry, check: Check): void {
    entry.member.load += loadOf(check.intervalMs) - loadOf(entry.check.intervalMs);
    entry.check = check;
  }

  #leastLoaded(): Member {
    const least = this.#members.reduce<Member | undefined>((a, b) => (a && a.load <= b.load ? a : b), undefined);
    const isFull = !least || least.load >= CHECKS_PER_SECOND_PER_THREAD;
    if (least && (!isFull || this.#members.length >= Math.max(1, this.#threads))) return least;
    const member = { shard: this.#threads === 0 ? this.#localShard() : this.#workerShard(), load: 0 };
    this.#members.push(member);
    return member;
  }

  #execMember(): Member {
    this.#execs ??= { shard: this.#localShard(MOST_EXECS), load: 0 };
    return this.#execs;
  }

  #settings(most = Number.POSITIVE_INFINITY) {
    const { maxConcurrent = 2048, maxPerHost = 64, jitter = 0.05 } = this.#options;
    return { limits: { total: Math.min(maxConcurrent, most), perHost: maxPerHost }, jitter };
  }

  #localShard(most?: number): Shard {
    const { exec, clock } = this.#options;
    return new CheckLoop({
      ...this.#settings(most),
      ...(clock && { clock }),
      prepare: (probe) => prepareProbe(probe, exec),
      onResult: (id, result) => this.#report(id, result),
    });
  }

  #workerShard(): Shard {
    return new WorkerShard({ settings: this.#settings(), onResult: (id, result) => this.#report(id, result) });
  }

  #report(id: number, result: Measurement): number | undefined {
    const entry = this.#byId[id];
    if (!entry) return undefined;
    const { target, check } = entry.check;
    const intervalMs = this.#options.onResult({ target, check, ...result });
    if (intervalMs !== undefined && this.#byId[id] === entry) this.setInterval(entry.check, intervalMs);
    return undefined;
  }
}

function assertTimes({ target, check, timeoutMs, intervalMs }: Check): void {
  if (!inRange(timeoutMs, 600_000)) {
    throw new RangeError(`${target}, ${check}: timeoutMs must be 1 to 600000, not ${timeoutMs}`);
  }
  if (!inRange(intervalMs, 86_400_000)) {
    throw new RangeError(`${target}, ${check}: intervalMs must be 1 to 86400000, not ${intervalMs}`);
  }
}
