import type { ObjectReference } from '@kurator/client';
import type { Duration } from '../duration.ts';
import type { ObjectKey } from '../object-key.ts';
import type { Priority } from '../queue/priority.ts';
import type { FailingItem, RunningItem } from '../queue/queue-statistics.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { ControllerStatus } from './observer.ts';

/** `idle`: not started; `syncing`: waits for its caches; `stopping`: lets what runs finish. */
export type ControllerState = 'idle' | 'syncing' | 'running' | 'stopping' | 'stopped';

/** A controller, as those who start, stop and look at it see it. */
export interface Controller extends ControllerStatus {
  readonly state: ControllerState;
  readonly queue: WorkQueue;
  /** Listens to its caches, waits until all are synced, and begins. Only once in its life. */
  start(): Promise<void>;
  /**
   * Takes nothing new, lets what runs finish for as long as `timeout` (20 s unless given; 0: tells it to end at once),
   * then fires its signals and waits a moment more. Returns what still runs after that.
   */
  stop(timeout?: Duration): Promise<ObjectKey[]>;
  /** Has an object reconciled for a reason that no cache knows. */
  enqueue(reference: ObjectReference, options?: { after?: Duration; priority?: Priority }): void;
  /** Runs that ignore their signal: their places were given to others, their keys are blocked until they end. */
  stuck(): RunningItem[];
  /** At most `limit` of the objects whose last reconcile failed, the latest first. */
  failing(limit: number): FailingItem[];
  /** Kinds whose caches are not synced yet. */
  waitingFor(): string[];
}
