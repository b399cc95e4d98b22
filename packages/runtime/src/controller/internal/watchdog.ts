import type { Clock, ClockTimer } from '../../clock.ts';

// The longest timer that Node has: about 24 days.
const LONGEST_TIMER = 2 ** 31 - 1;

/** Something that must end in time. */
export interface Watched {
  readonly startedAt: number;
}

export interface WatchdogOptions<R extends Watched> {
  clock: Clock;
  /** Milliseconds after which a run is told to end. */
  timeout: number;
  /** Milliseconds after that, until it counts as stuck. */
  grace: number;
  onTimeout(run: R): void;
  onStuck(run: R): void;
}

/**
 * Tells runs when their time is up. All have the same time, so the one that began first is due first: one timer is
 * enough for all of them, and a run that ends in time costs no timer at all.
 */
export class Watchdog<R extends Watched> {
  readonly #options: WatchdogOptions<R>;
  /** In the order of their beginning. */
  readonly #running = new Set<R>();
  /** Those that were told to end, in the same order. */
  readonly #overdue = new Set<R>();
  #timer: ClockTimer | undefined;

  constructor(options: WatchdogOptions<R>) {
    this.#options = options;
  }

  start(run: R): void {
    this.#running.add(run);
    this.#arm();
  }

  end(run: R): void {
    this.#running.delete(run);
    this.#overdue.delete(run);
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running.clear();
    this.#overdue.clear();
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    const { clock, timeout, grace } = this.#options;
    const next = Math.min(dueAt(this.#running, timeout), dueAt(this.#overdue, timeout + grace));
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = clock.setTimeout(this.#onTimer, Math.min(Math.max(0, Math.ceil(next - clock.now())), LONGEST_TIMER));
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    const { clock, timeout, grace, onTimeout, onStuck } = this.#options;
    const now = clock.now();
    for (const run of takeDue(this.#overdue, now - timeout - grace)) onStuck(run);
    for (const run of takeDue(this.#running, now - timeout)) {
      this.#overdue.add(run);
      onTimeout(run);
    }
    this.#arm();
  };
}

function dueAt(runs: Iterable<Watched>, after: number): number {
  for (const { startedAt } of runs) return startedAt + after;
  return Number.POSITIVE_INFINITY;
}

function takeDue<R extends Watched>(runs: Set<R>, startedBy: number): R[] {
  const due: R[] = [];
  for (const run of runs) {
    if (run.startedAt > startedBy) break;
    runs.delete(run);
    due.push(run);
  }
  return due;
}
