/** Under which right the code that asks is running: so that one client can serve all keys, and be fenced for each. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { WriteRight } from '../../leadership/guarded-writes.ts';

const current = new AsyncLocalStorage<Required<WriteRight>>();

export function runUnder<R>(hold: Required<WriteRight>, work: () => R): R {
  return current.run(hold, work);
}

/** Undefined outside of all rights. */
export function currentHold(): Required<WriteRight> | undefined {
  return current.getStore();
}
