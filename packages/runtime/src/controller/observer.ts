/**
 * How a controller shows what it does, without knowing who looks: metrics, traces and the debug page read through
 * this. What happens per reconcile is pushed (two calls); everything else is pulled when somebody asks.
 */
import type { ObjectKey } from '../object-key.ts';
import type { QueuedItem, QueueStatistics, RunningItem } from '../queue/queue-statistics.ts';

export type { QueuedItem, QueueStatistics, RunningItem } from '../queue/queue-statistics.ts';

/**
 * How a reconcile ended. `requeue`: it asked to be called again; `conflict`: somebody else wrote first, and it is tried
 * again with what he wrote: normal, and no error; `error`: it will be tried again with backoff; `permanent`: it waits
 * for a change; `timeout`: it took too long, and will be tried again; `stopped`: the controller was stopped meanwhile.
 */
export type ReconcileOutcome = 'success' | 'requeue' | 'conflict' | 'error' | 'permanent' | 'timeout' | 'stopped';

/** How a reconcile ended. */
export interface ReconcileEnd {
  readonly outcome: ReconcileOutcome;
  readonly durationSeconds: number;
  readonly error?: unknown;
  /** When it will be called again if nothing changes meanwhile; absent if only a change calls it. */
  readonly againInSeconds?: number;
}

/** Called on the hot path: must be quick, and must not throw. */
export interface ControllerObserver {
  /** @param waitedSeconds How long the key was ready in the queue before a worker took it. */
  onReconcileStart(key: ObjectKey, waitedSeconds: number): void;
  onReconcileEnd(key: ObjectKey, end: ReconcileEnd): void;
  /**
   * A reconcile still runs long after it was told to stop. Its place was given to others; its key stays blocked until it
   * ends, since it must never run twice at once. Comes after its `onReconcileEnd` (`timeout`).
   */
  onReconcileStuck?(key: ObjectKey): void;
  /** A predicate or a mapping function threw. A change that can't be judged is taken for one that matters. */
  onSourceError?(kind: string, error: unknown): void;
  /** Runs the reconcile, inside whatever must surround it, such as the context of a trace; must call it exactly once. */
  around?<R>(key: ObjectKey, reconcile: () => R): R;
}

/** One controller as metrics and the debug page see it. */
export interface ControllerStatus {
  readonly name: string;
  /** The kind that it reconciles, for example `MyApp`. */
  readonly kind: string;
  /** How many reconciles it runs at once. */
  readonly concurrency: number;
  readonly queue: QueueStatistics;
  /** What runs now, in no particular order. */
  running(): Iterable<RunningItem>;
  /** At most `limit` of what is queued, the next one first. */
  queued(limit: number): QueuedItem[];
}
