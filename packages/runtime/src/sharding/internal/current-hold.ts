/** Under which right the code that asks is running: so that one client can serve all keys, and be fenced for each. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** A right, as a client is fenced by it. */
export interface CurrentHold {
  /** Throws unless the right surely holds at this instant. */
  fence(): void;
  /** Milliseconds for which it does, if nothing is heard from the server. */
  remaining(): number;
}

const current = new AsyncLocalStorage<CurrentHold>();

export function runUnder<R>(hold: CurrentHold, work: () => R): R {
  return current.run(hold, work);
}

/** Undefined outside of all rights. */
export function currentHold(): CurrentHold | undefined {
  return current.getStore();
}
