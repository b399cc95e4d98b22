/** Under which right the code that asks is running: so that one client can serve all keys, and be fenced for each. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ShardHold } from '../../controller/shard-gate.ts';

const current = new AsyncLocalStorage<ShardHold>();

export function runUnder<R>(hold: ShardHold, work: () => R): R {
  return current.run(hold, work);
}

/** Throws where the right has ended; does nothing outside of all rights. */
export function fenceCurrent(): void {
  current.getStore()?.fence();
}
