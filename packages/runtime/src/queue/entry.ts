import type { ObjectKey } from '../object-key.ts';
import type { Priority } from './priority.ts';

/**
 * One key that a queue knows of. It is linked into a lane, or placed in the heap of delayed ones, by fields of its own:
 * nothing is allocated on the way through the queue.
 *
 *             ┌──────────── its time comes ─────────────┐
 *          delayed                                      ▼
 *   idle ──────────────── add ──────────────────────► waiting ── take ──► running
 *                                                       ▲                    │ add meanwhile
 *                                                       └────── done ──── again
 *
 * `running` is apart from the state, because a key that runs can be waited for at the same time.
 */
export interface Entry {
  readonly key: ObjectKey;
  /** `again`: it would wait, were it not running. */
  state: 'idle' | 'waiting' | 'delayed' | 'again';
  running: boolean;
  /** Since when it runs. */
  since: number;
  priority: Priority;
  /** From when on it may be taken. */
  readyAt: number;
  /** Grows with each move into a lane or into the heap: the lesser came earlier. */
  order: number;
  /** Its place in the heap of delayed ones; -1 when it isn't there. */
  heapIndex: number;
  previous: Entry | undefined;
  next: Entry | undefined;
}

export function createEntry(key: ObjectKey): Entry {
  return {
    key,
    state: 'idle',
    running: false,
    since: 0,
    priority: 0,
    readyAt: 0,
    order: 0,
    heapIndex: -1,
    previous: undefined,
    next: undefined,
  };
}
