/** Time that stands still until a test moves it. */
import type { CheckClock } from '../../../src/senses/checks/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export class ManualClock implements CheckClock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  date(): number {
    return 1_700_000_000_000 + this.#now;
  }

  setTimeout(callback: () => void, milliseconds: number): Timer {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  afterReading(callback: () => void): void {
    this.setTimeout(callback, 0);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Moves on, with every timer at its own time. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#fire(next);
    }
    this.#now = end;
  }

  /** Time passes and nobody is there to notice: then everything that was due happens at once, late. */
  stall(milliseconds: number): void {
    this.#now += milliseconds;
    this.advance(0);
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    timer.callback();
  }
}
