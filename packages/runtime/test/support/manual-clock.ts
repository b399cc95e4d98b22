/** A clock that stands still until a test moves it. */
import type { Clock, ClockTimer } from '../../src/clock.ts';

interface ManualTimer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export class ManualClock implements Clock {
  #now: number;
  #dateOffset: number;
  #order = 0;
  readonly #timers = new Set<ManualTimer>();

  /** @param date What `date()` says at the beginning; `now()` begins at 0. */
  constructor(date = Date.UTC(2026, 0, 1)) {
    this.#now = 0;
    this.#dateOffset = date;
  }

  now(): number {
    return this.#now;
  }

  date(): number {
    return this.#dateOffset + this.#now;
  }

  setTimeout(callback: () => void, milliseconds: number): ClockTimer {
    const timer: ManualTimer = { at: this.#now + Math.max(0, milliseconds), order: this.#order++, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#timers.delete(timer as ManualTimer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer fires; undefined when none is set. */
  get next(): number | undefined {
    return this.#first()?.at;
  }

  /** Sets the wall clock, as an administrator or NTP might; `now()` doesn't notice. */
  setDate(date: number): void {
    this.#dateOffset = date - this.#now;
  }

  /** Moves time on, fires what is due in its order, and lets promises settle after each. */
  async advance(milliseconds: number): Promise<void> {
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
