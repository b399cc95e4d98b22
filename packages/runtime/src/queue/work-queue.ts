/**
 * Which keys are to be worked on, and when. A key is in the queue once, however often it is added, and never runs twice
 * at once: one that is added while it runs, runs again after.
 *
 * Nothing here waits or makes promises: `take` answers at once, and `onReady` says when it is worth asking. All delays
 * share one timer.
 */
import { type Clock, type ClockTimer, systemClock } from '../clock.ts';
import type { ObjectKey } from '../object-key.ts';
import { type BackoffOptions, createBackoff } from './backoff.ts';
import { DelayHeap } from './delay-heap.ts';
import { createEntry, type Entry } from './entry.ts';
import { FailureLog } from './failure-log.ts';
import { Lanes } from './lanes.ts';
import { Priority } from './priority.ts';
import type { FailingItem, QueuedItem, QueueStatistics, RunningItem } from './queue-statistics.ts';
import { TokenBucket, type TokenBucketOptions } from './token-bucket.ts';

/** How quickly a queue tries again. */
export interface WorkQueueOptions {
  /** How long a key that fails is left alone. */
  backoff?: BackoffOptions;
  /** How many retries there may be of all keys together; 10 a second with a burst of 100 unless given, false for no limit. */
  retryRate?: TokenBucketOptions | false;
  /** Called whenever there may be more to take than before. Must not take by itself, but soon. */
  onReady?: () => void;
  clock?: Clock;
  /** Chance, for the jitter of backoffs; Math.random unless given. */
  random?: () => number;
}

/** A key that a worker has taken, and must give back by `done`. */
export interface TakenItem {
  readonly key: ObjectKey;
  readonly priority: Priority;
  /** Milliseconds between when it could have been taken and when it was. */
  readonly waited: number;
  /** How often it has failed since it last succeeded. */
  readonly failures: number;
}

const RETRY_RATE: TokenBucketOptions = { perSecond: 10, burst: 100 };
// The longest timer that Node has: about 24 days.
const LONGEST_TIMER = 2 ** 31 - 1;

/** Keys that wait for their turn: each once, never two of the same at work. */
export class WorkQueue implements QueueStatistics {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket | undefined;
  readonly #onReady: (() => void) | undefined;
  readonly #failures: FailureLog;
  readonly #entries = new Map<ObjectKey, Entry>();
  readonly #lanes = new Lanes();
  readonly #delayed = new DelayHeap();
  readonly #running = new Set<Entry>();
  #order = 0;
  #timer: ClockTimer;
  #timerAt = Number.POSITIVE_INFINITY;
  #closed = false;
  readonly #onIdle = new Set<() => void>();
  #adds = 0;
  #retries = 0;

  constructor(options: WorkQueueOptions = {}) {
    const { clock = systemClock, retryRate = RETRY_RATE, onReady, backoff, random } = options;
    this.#clock = clock;
    this.#onReady = onReady;
    this.#bucket = retryRate ? new TokenBucket(retryRate, clock) : undefined;
    this.#failures = new FailureLog(createBackoff(backoff, random));
  }

  /**
   * To be taken as soon as possible. What waits already becomes more urgent if this is; what was to come later comes
   * now. Only a key that has just failed is left alone a moment longer: otherwise one whose failing causes a change of
   * the object would never rest.
   */
  add(key: ObjectKey, priority: Priority = Priority.change): void {
    if (this.#closed) return;
    const now = this.#clock.now();
    const restsUntil = this.#failures.restsUntil(key);
    if (restsUntil > now) this.#delay(this.#entry(key), restsUntil, priority);
    else this.#release(this.#entry(key), now, priority);
  }

  /** To be taken after so many milliseconds, or earlier if it is added otherwise meanwhile. */
  addAfter(key: ObjectKey, milliseconds: number, priority: Priority = Priority.retry): void {
    if (this.#closed) return;
    if (!(milliseconds > 0)) {
      this.add(key, priority);
      return;
    }
    this.#retries++;
    this.#delay(this.#entry(key), this.#clock.now() + milliseconds, priority);
  }

  /**
   * It failed, and is to be taken again after its backoff. To be called before `done`.
   *
   * @param atLeast Milliseconds that it must wait in any case.
   * @returns How long it will wait, unless it is added otherwise meanwhile.
   */
  retry(key: ObjectKey, error: unknown, atLeast = 0): number {
    const now = this.#clock.now();
    const { backoff, restsUntil } = this.#failures.record(key, error, now);
    const delay = Math.max(backoff, atLeast, this.#bucket?.reserve() ?? 0);
    if (this.#closed) return delay;
    this.#retries++;
    const entry = this.#entry(key);
    if (!this.#postpone(entry, restsUntil)) this.#delay(entry, now + delay, Priority.retry);
    return delay;
  }

  /** It failed, and only a change can help: it is not taken again until it is added. To be called before `done`. */
  giveUp(key: ObjectKey, error: unknown): void {
    const { restsUntil } = this.#failures.record(key, error, this.#clock.now());
    const entry = this.#entries.get(key);
    if (entry) this.#postpone(entry, restsUntil);
  }

  /** It succeeded: its next failure is its first. */
  forget(key: ObjectKey): void {
    this.#failures.forget(key);
  }

  /** Takes a key out, wherever it waits; one that runs only won't run again. Its failures are forgotten. */
  remove(key: ObjectKey): void {
    this.#failures.forget(key);
    const entry = this.#entries.get(key);
    if (!entry) return;
    if (entry.state === 'waiting') this.#lanes.remove(entry);
    if (entry.state === 'delayed') this.#undelay(entry);
    entry.state = 'idle';
    this.#tidy(entry);
  }

  /** What is to be worked on next; undefined if nothing is. */
  take(): TakenItem | undefined {
    const entry = this.#lanes.shift();
    if (!entry) return undefined;
    const { key, priority, readyAt } = entry;
    entry.state = 'idle';
    entry.running = true;
    entry.since = this.#clock.now();
    this.#running.add(entry);
    return { key, priority, waited: entry.since - readyAt, failures: this.#failures.count(key) };
  }

  /** Gives back what was taken. */
  done(key: ObjectKey): void {
    const entry = this.#entries.get(key);
    if (!entry?.running) return;
    entry.running = false;
    this.#running.delete(entry);
    if (entry.state === 'again') this.#line(entry);
    this.#tidy(entry);
    if (this.#running.size === 0) for (const tell of this.#onIdle) tell();
  }

  /** From now on nothing is added and nothing can be taken; what waits is dropped, what runs goes on. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#lanes.clear();
    this.#delayed.clear();
    this.#entries.clear();
    for (const entry of this.#running) {
      entry.state = 'idle';
      this.#entries.set(entry.key, entry);
    }
  }

  /** Closes, and waits until nothing runs any more or the time is up; tells what still runs then. */
  async drain(milliseconds: number): Promise<ObjectKey[]> {
    this.close();
    if (this.#running.size > 0 && milliseconds > 0) await this.#untilIdle(milliseconds);
    return Array.from(this.#running, ({ key }) => key);
  }

  get adds(): number {
    return this.#adds;
  }

  get retries(): number {
    return this.#retries;
  }

  get depth(): number {
    return this.#lanes.size;
  }

  get delayed(): number {
    return this.#delayed.size;
  }

  depthByPriority(): ReadonlyMap<Priority, number> {
    return this.#lanes.sizes();
  }

  /** Milliseconds that the longest waiting key could have been taken for; 0 when none waits. Looks at all of them. */
  oldestAge(): number {
    const now = this.#clock.now();
    let oldest = now;
    for (const { readyAt } of this.#lanes) oldest = Math.min(oldest, readyAt);
    return now - oldest;
  }

  running(): RunningItem[] {
    return Array.from(this.#running, ({ key, since }) => ({ key, since }));
  }

  /** At most `limit` of what is queued, the next one first: what is ready, then what waits for its time. */
  queued(limit: number): QueuedItem[] {
    const ready = Array.from(this.#lanes[Symbol.iterator]().take(limit));
    const later = ready.length < limit ? this.#delayed.earliest(limit - ready.length) : [];
    return [...ready, ...later].map(({ key, priority, readyAt }) => ({ key, priority, readyAt }));
  }

  /** At most `limit` of the keys that failed last time, the latest first. */
  failing(limit: number): FailingItem[] {
    return this.#failures.latest(limit);
  }

  #entry(key: ObjectKey): Entry {
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = createEntry(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #tidy(entry: Entry): void {
    if (!entry.running && entry.state === 'idle') this.#entries.delete(entry.key);
  }

  /** Makes an entry ready, now or, if it runs, as soon as it is done. */
  #release(entry: Entry, at: number, priority: Priority): void {
    const { state } = entry;
    if (state === 'waiting' || state === 'again') {
      this.#raise(entry, priority);
      return;
    }
    if (state === 'delayed') this.#undelay(entry);
    entry.priority = state === 'delayed' ? Math.max(entry.priority, priority) : priority;
    entry.readyAt = at;
    this.#adds++;
    if (entry.running) entry.state = 'again';
    else this.#line(entry);
  }

  #line(entry: Entry): void {
    entry.state = 'waiting';
    entry.order = this.#order++;
    this.#lanes.push(entry);
    this.#onReady?.();
  }

  #raise(entry: Entry, priority: Priority): void {
    if (priority <= entry.priority) return;
    const waits = entry.state === 'waiting';
    if (waits) this.#lanes.remove(entry);
    entry.priority = priority;
    if (waits) this.#line(entry);
  }

  #delay(entry: Entry, at: number, priority: Priority): void {
    const { state } = entry;
    if (state === 'idle') {
      entry.priority = priority;
      this.#schedule(entry, at);
    } else {
      this.#raise(entry, priority);
      if (state === 'delayed' && at < entry.readyAt) this.#schedule(entry, at);
    }
  }

  /** What was added while it ran comes when it has rested, not at once. */
  #postpone(entry: Entry, until: number): boolean {
    if (entry.state !== 'again') return false;
    this.#schedule(entry, until);
    return true;
  }

  #schedule(entry: Entry, at: number): void {
    entry.state = 'delayed';
    entry.readyAt = at;
    entry.order = this.#order++;
    this.#delayed.put(entry);
    this.#arm();
  }

  // Leaves a timer that is too early alone, but not one that has nothing to wait for: it would keep a process alive.
  #undelay(entry: Entry): void {
    this.#delayed.remove(entry);
    if (this.#delayed.size > 0) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    const { first } = this.#delayed;
    if (!first || this.#timerAt <= first.readyAt) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timerAt = first.readyAt;
    const wait = Math.ceil(first.readyAt - this.#clock.now());
    this.#timer = this.#clock.setTimeout(this.#onTimer, Math.min(Math.max(wait, 0), LONGEST_TIMER));
  }

  readonly #onTimer = (): void => {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    for (let { first } = this.#delayed; first && first.readyAt <= now; { first } = this.#delayed) {
      this.#release(first, first.readyAt, first.priority);
    }
    this.#arm();
  };

  #untilIdle(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#clock.clearTimeout(timer);
        this.#onIdle.delete(end);
        resolve();
      };
      const timer = this.#clock.setTimeout(end, Math.min(milliseconds, LONGEST_TIMER));
      this.#onIdle.add(end);
    });
  }
}
