import type { KubernetesObject, ObjectReference } from '@kurator/client';
import type { Duration } from '../duration.ts';
import type { ObjectKey } from '../object-key.ts';

/** What a reconcile is told beside the object. */
export interface ReconcileContext {
  readonly key: ObjectKey;
  readonly reference: ObjectReference;
  /**
   * Fires when the time is up or the controller stops. Pass it to every request: a reconcile that goes on after it can't
   * be stopped, and its object is not looked at again until it ends.
   */
  readonly signal: AbortSignal;
  /** How often it has failed since it last succeeded. */
  readonly failures: number;
}

/** What a reconcile may ask for. */
export interface ReconcileResult {
  /** Call me again after this, unless something changes earlier. */
  requeueAfter?: Duration | undefined;
}

/**
 * Makes the world as the object wants it. It is called with the object as it is now, never with an event; it may be
 * called again at any time, also after a crash in the middle of it, and never twice at once for the same object. What it
 * throws is tried again with backoff; a PermanentError is not.
 */
export type Reconcile<T extends KubernetesObject> = (
  object: T,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that asks for nothing returns nothing.
) => Promise<ReconcileResult | void> | ReconcileResult | void;
