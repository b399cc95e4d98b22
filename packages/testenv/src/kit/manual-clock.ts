/** A clock that stands still until a test moves it: what waits for an hour is tested in a millisecond. */
import { TestenvError } from '../error.ts';
import { type Duration, toMilliseconds } from '../faults/requests/duration.ts';

interface ManualTimer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Fits wherever the runtime takes a `clock`. */
export class ManualClock {
  #now = 0;
  #dateOffset: number;
  #order = 0;
  readonly #timers = new Set<ManualTimer>();

  /** @param date What `date()` says at the beginning, in milliseconds since 1970; `now()` begins at 0. */
  constructor(date: number = Date.UTC(2026, 0, 1)) {
    this.#dateOffset = date;
  }

  /** Milliseconds since its beginning. */
  now(): number {
    return this.#now;
  }

  /** Milliseconds since 1970. */
  date(): number {
    return this.#dateOffset + this.#now;
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    const timer: ManualTimer = { at: this.#now + Math.max(0, milliseconds), order: this.#order++, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as ManualTimer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer fires, by `now()`; undefined when none is set. */
  get next(): number | undefined {
    return this.#first()?.at;
  }

  /** Sets the wall clock, as an administrator or NTP might; `now()` doesn't notice. */
  setDate(date: number): void {
    this.#dateOffset = date - this.#now;
  }

  /** Moves time on, fires what is due in its order, and lets promises settle after each. */
  async advance(duration: Duration): Promise<void> {
    const milliseconds = typeof duration === 'number' ? duration : toMilliseconds(duration);
    if (milliseconds === undefined || !(milliseconds >= 0)) {
      throw new TestenvError('KUR_TESTENV_OPTION', `advance: ${JSON.stringify(duration)} is not a duration`, {
        remedy: "give milliseconds as a number from 0, or a text such as '30s', '5m' or '250ms'",
      });
    }
    const target = this.#now + milliseconds;
    await settled();
    for (let timer = this.#first(); timer && timer.at <= target; timer = this.#first()) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
      await settled();
    }
    this.#now = target;
  }

  #first(): ManualTimer | undefined {
    let first: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  }
}

/** Resolves when every promise chain that can go on without time or input has done so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
