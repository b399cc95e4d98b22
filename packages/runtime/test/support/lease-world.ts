/**
 * A simulated world for elections: one server with one Lease, and machines that reach it over a network that delays,
 * drops and reorders, whose clocks differ and run unevenly, and that freeze or sleep at any time.
 */
import { ClientError, type ClientErrorCode, type Lease, type RequestOptions } from '@kurator/client';
import type { Clock, ClockTimer } from '../../src/clock.ts';
import type { LeaseRecord, LeaseStore, StoredLease } from '../../src/leadership/lease-store.ts';
import { ManualClock } from './manual-clock.ts';

export interface NetworkConditions {
  /** Milliseconds that a message takes at most. */
  readonly slowest: number;
  /** Of so many messages one is lost; 0: none. */
  readonly lossOneIn: number;
}

/** The server: executes one request at a time, in the order of their arrival. */
export class LeaseServer {
  readonly clock = new ManualClock();
  conditions: NetworkConditions = { slowest: 20, lossOneIn: 0 };
  readonly #random: () => number;
  readonly #watchers = new Set<(record: LeaseRecord | undefined) => void>();
  #version = 0;
  #stored: StoredLease | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  get record(): LeaseRecord | undefined {
    return this.#stored?.record;
  }

  read(): StoredLease | undefined {
    return this.#stored;
  }

  create(record: LeaseRecord): StoredLease {
    if (this.#stored) throw failure('KUR_CLIENT_ALREADY_EXISTS');
    return this.#store(record);
  }

  replace(before: StoredLease, record: LeaseRecord): StoredLease {
    if (!this.#stored) throw failure('KUR_CLIENT_NOT_FOUND');
    const versions = [before, this.#stored].map(({ lease }) => lease.metadata.resourceVersion);
    if (versions[0] !== versions[1]) throw failure('KUR_CLIENT_CONFLICT');
    return this.#store(record);
  }

  delete(): void {
    this.#stored = undefined;
  }

  watch(watcher: (record: LeaseRecord | undefined) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Runs `arrive` once a message has come through; never, when it is lost. */
  send(arrive: () => void): void {
    const { slowest, lossOneIn } = this.conditions;
    if (lossOneIn > 0 && this.#random() * lossOneIn < 1) return;
    this.clock.setTimeout(arrive, this.#random() * slowest);
  }

  #store(record: LeaseRecord): StoredLease {
    const resourceVersion = String(++this.#version);
    const lease: Lease = { apiVersion: '', kind: '', metadata: { name: 'lease', resourceVersion }, spec: record };
    this.#stored = { record, lease };
    for (const watcher of this.#watchers) watcher(record);
    return this.#stored;
  }
}

interface MachineTimer {
  cancelled: boolean;
  inWorld: ClockTimer;
}

/** A computer with one process on it. What falls due while it is frozen happens when it thaws. */
export class Machine implements Clock {
  readonly #world: ManualClock;
  readonly #rate: number;
  #dateOffset: number;
  #sleptFor = 0;
  #stoppedAt: number | undefined;
  #asleep = false;
  #backlog: (() => void)[] = [];

  /** @param rate How fast its clock runs; 1 is right. */
  constructor(world: ManualClock, rate: number, dateOffset: number) {
    this.#world = world;
    this.#rate = rate;
    this.#dateOffset = dateOffset;
  }

  now(): number {
    const asleep = this.#asleep ? this.#world.now() - (this.#stoppedAt ?? 0) : 0;
    return (this.#world.now() - this.#sleptFor - asleep) * this.#rate;
  }

  date(): number {
    return this.#world.date() * this.#rate + this.#dateOffset;
  }

  setTimeout(callback: () => void, milliseconds: number): ClockTimer {
    const timer: MachineTimer = { cancelled: false, inWorld: undefined };
    const fire = () => {
      if (!timer.cancelled) callback();
    };
    timer.inWorld = this.#world.setTimeout(() => this.run(fire), milliseconds / this.#rate);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    if (!timer) return;
    const { inWorld } = Object.assign(timer as MachineTimer, { cancelled: true });
    this.#world.clearTimeout(inWorld);
  }

  /** Now, or when it thaws. */
  run(task: () => void): void {
    if (this.#stoppedAt === undefined) task();
    else this.#backlog.push(task);
  }

  /** SIGSTOP: its clocks go on. */
  freeze(): void {
    this.#stoppedAt ??= this.#world.now();
  }

  /** The lid is closed: the monotonic clock stands still, the wall clock goes on. */
  sleep(): void {
    if (this.#stoppedAt !== undefined) return;
    this.freeze();
    this.#asleep = true;
  }

  thaw(): void {
    if (this.#stoppedAt === undefined) return;
    if (this.#asleep) this.#sleptFor += this.#world.now() - this.#stoppedAt;
    this.#asleep = false;
    this.#stoppedAt = undefined;
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const task of backlog) task();
  }

  setDateBy(milliseconds: number): void {
    this.#dateOffset += milliseconds;
  }
}

/** One request over the network. One that was given up on may still arrive, and be executed. */
export function exchange<T>(
  machine: Machine,
  server: LeaseServer,
  execute: () => T,
  { timeout = 30_000, signal }: RequestOptions,
): Promise<T> {
  let timer: ClockTimer;
  const answer = new Promise<T>((resolve, reject) => {
    timer = machine.setTimeout(() => reject(failure('KUR_CLIENT_TIMEOUT')), timeout);
    signal?.addEventListener('abort', () => reject(signal.reason));
    machine.run(() =>
      server.send(() => {
        const result = outcome(execute);
        server.send(() => machine.run(() => ('error' in result ? reject(result.error) : resolve(result.value))));
      }),
    );
  });
  return answer.finally(() => machine.clearTimeout(timer));
}

/** What a machine hears of what happens on the server, until the signal fires. */
export async function* hearing<T>(
  machine: Machine,
  server: LeaseServer,
  watch: (watcher: (news: T) => void) => () => void,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const arrived: T[] = [];
  let notify = () => {};
  const stop = watch((news) =>
    server.send(() =>
      machine.run(() => {
        arrived.push(news);
        notify();
      }),
    ),
  );
  signal.addEventListener('abort', () => notify());
  try {
    while (!signal.aborted) {
      for (let news = arrived.shift(); news !== undefined; news = arrived.shift()) yield news;
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  } finally {
    stop();
  }
}

/** How a machine reaches the server. */
export function storeOn(machine: Machine, server: LeaseServer): LeaseStore {
  return {
    read: (options) => exchange(machine, server, () => server.read(), options),
    create: (record, options) => exchange(machine, server, () => server.create(record), options),
    replace: (before, record, options) => exchange(machine, server, () => server.replace(before, record), options),
    async *changes(signal) {
      type News = { readonly record: LeaseRecord | undefined };
      const watch = (watcher: (news: News) => void) => server.watch((record) => watcher({ record }));
      for await (const { record } of hearing(machine, server, watch, signal)) yield record;
    },
  };
}

function outcome<T>(execute: () => T): { value: T } | { error: unknown } {
  try {
    return { value: execute() };
  } catch (error) {
    return { error };
  }
}

/** What the server answers, or the lack of an answer. */
export function failure(code: ClientErrorCode): ClientError {
  return new ClientError(code, `simulated: ${code}`);
}

/** Random numbers that are the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
