/**
 * Which keys are this replica's to work on, as controllers and schedules ask it. packages/runtime/src/sharding has the
 * one that is agreed on with the other replicas.
 */
import type { ObjectKey } from '../object-key.ts';

/** The right to work on a key. All keys of a shard share one; it ends once, and for good. */
export interface ShardHold {
  /** Fires when the right was lost without having been handed over: break off what is under way. */
  readonly signal: AbortSignal;
  /** Throws unless the right surely holds at this instant: call it right before each act. */
  fence(): void;
  /** Runs something under this right: clients that are fenced by it refuse to write once it has ended. */
  run<R>(work: () => R): R;
}

/** Hears of keys that come and go. */
export interface ShardListener {
  /** The keys for which `has` is true are this replica's from now on: have a look at all of them. */
  onGained(has: (key: ObjectKey) => boolean): void;
  /**
   * These keys will be another's. They can't be held any more; what is under way may end. Resolve when nothing is. When
   * `abort` fires, break off what is still under way.
   */
  onDraining(has: (key: ObjectKey) => boolean, abort: AbortSignal): Promise<void>;
}

/** Decides who works on what. */
export interface ShardGate {
  /** The right to begin work on a key; undefined while that isn't this replica's. */
  hold(key: ObjectKey): ShardHold | undefined;
  /** Tells of changes from now on, first of all keys that are held already. Returns how to stop. */
  subscribe(listener: ShardListener): () => void;
}
