/** What a queue tells those who look at it from outside: metrics, the debug page. */
import type { ObjectKey } from '../object-key.ts';

/** Counts of one queue since its beginning, and what is in it now. Reading it is cheap. */
export interface QueueStatistics {
  /** How often a key was added, without those that were in the queue already. */
  readonly adds: number;
  /** How often a key was added with a delay: after a failure, or because it asked for it. */
  readonly retries: number;
  /** Keys that a worker could take now. */
  readonly depth: number;
  /** Keys that wait for their time. */
  readonly delayed: number;
  /** `depth` by priority; only priorities that occur. */
  depthByPriority(): ReadonlyMap<number, number>;
}

/** A key in the queue. */
export interface QueuedItem {
  readonly key: ObjectKey;
  readonly priority: number;
  /** Clock.now() from which a worker may take it; in the future for a delayed one. */
  readonly readyAt: number;
}

/** A key that a worker has taken and not given back. */
export interface RunningItem {
  readonly key: ObjectKey;
  /** Clock.now() when it began. */
  readonly since: number;
}

/** A key that failed each time since it last succeeded. */
export interface FailingItem {
  readonly key: ObjectKey;
  /** How many times in a row. */
  readonly failures: number;
  /** Clock.now() of the last time. */
  readonly failedAt: number;
  /** The last error's message, shortened. */
  readonly error: string;
}
