import type { ObjectKey } from '../../object-key.ts';
import type { ScheduleObserver } from '../schedule.ts';

/** Those who look on. An onlooker's mistake must not become the object's. */
export class Audience {
  readonly #name: string;
  readonly #observers: readonly ScheduleObserver[];

  constructor(name: string, observers: readonly ScheduleObserver[]) {
    this.#name = name;
    this.#observers = observers;
  }

  tell(what: (observer: ScheduleObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        what(observer);
      } catch (error) {
        process.emitWarning(`an observer of schedule ${this.#name} threw: ${error}`);
      }
    }
  }

  /** Runs something inside what the observers put around it. */
  around<R>(key: ObjectKey, work: () => R): R {
    const wrap = (inner: () => R, observer: ScheduleObserver) =>
      observer.around ? () => observer.around?.(key, inner) as R : inner;
    return this.#observers.reduce(wrap, work)();
  }
}
