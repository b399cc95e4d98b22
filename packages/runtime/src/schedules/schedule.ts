/** What timers, cron schedules and daemons have in common: each runs something for each object, tied to its life. */
import type { KubernetesObject, ObjectReference } from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { Clock } from '../clock.ts';
import type { ControllerObserver, ControllerStatus } from '../controller/observer.ts';
import type { ShardGate } from '../controller/shard-gate.ts';
import type { Duration } from '../duration.ts';
import type { Runnable } from '../manager/runnable.ts';
import type { ObjectKey } from '../object-key.ts';
import type { BackoffOptions } from '../queue/backoff.ts';

/** What a run is told beside the object. */
export interface ScheduleContext<T extends KubernetesObject> {
  readonly key: ObjectKey;
  readonly reference: ObjectReference;
  /**
   * Fires when the run has to end: the object is being deleted, no longer matches or belongs to another replica, the
   * time is up, or the operator stops. Its reason says which. A run that goes on after it can't be stopped.
   */
  readonly signal: AbortSignal;
  /** How often it has failed since it last succeeded. */
  readonly failures: number;
  /** When this run was due, in milliseconds since 1970. */
  readonly dueAt: number;
  /** The object as it is at this moment; undefined once it is gone. */
  current(): T | undefined;
}

/** What is run for an object. What it throws is reported, and never keeps other objects waiting. */
export type ScheduledWork<T extends KubernetesObject> = (
  object: T,
  context: ScheduleContext<T>,
) => Promise<unknown> | unknown;

/**
 * Hears what a schedule does: all that a controller's observer hears, a run counting as a reconcile, so that metrics,
 * logs and traces of controllers serve here too. Must be quick, and must not throw.
 */
export interface ScheduleObserver extends ControllerObserver {
  /** A run did not take place: the one before was still under way (`overlap`), or it was found too late (`late`). */
  onSkipped?(key: ObjectKey, why: 'overlap' | 'late', dueAt: number): void;
  /** An object's own schedule makes no sense: it has none until it changes. */
  onBadSchedule?(key: ObjectKey, error: unknown): void;
  /** The time of a run could not be written down: after a restart it may be repeated. */
  onForgotten?(key: ObjectKey, error: unknown): void;
}

/** What every kind of schedule takes. Only the first three are needed. */
export interface ScheduleOptions<T extends KubernetesObject> {
  /** What metrics, logs and errors call it; one of its own for each schedule in a process. */
  name: string;
  /** The kind whose objects it is about. */
  for: ObjectCache<T>;
  run: ScheduledWork<T>;
  /** Which objects have it; all unless given. Asked at each change; objects that are being deleted never have it. */
  when?: (object: T) => boolean;
  /** How long a failed run is left alone: from 1 s to 5 minutes unless given. */
  backoff?: BackoffOptions;
  /** How long a run may go on after its signal fired before it is reported as stuck; 10 s unless given. */
  grace?: Duration;
  /** Which objects are this replica's; all unless given. */
  shard?: ShardGate;
  observers?: readonly ScheduleObserver[];
  clock?: Clock;
  /** Chance, for jitter of backoffs; Math.random unless given. */
  random?: () => number;
}

/** What schedules of short runs take beside that. */
export interface TickingOptions<T extends KubernetesObject> extends ScheduleOptions<T> {
  /** How many objects have a run at once; from 1, and 8 unless given. Never two of the same object. */
  concurrency?: number;
  /** How long a run may take before its signal fires; 5 minutes unless given, false for no limit. */
  timeout?: Duration | false;
  /** Whether a failed run is tried again before the next one is due; true unless given. A PermanentError never is. */
  retry?: boolean;
}

/** Something that a manager runs, as `leader` unless it is sharded; metrics can show it as they show a controller. */
export interface Schedule extends Runnable, ControllerStatus {
  /** Resolves when nothing runs for an object: a clean-up may have to wait for its daemon. */
  untilIdle(reference: ObjectReference): Promise<void>;
}
