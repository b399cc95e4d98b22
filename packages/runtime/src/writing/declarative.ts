/**
 * A reconcile that says what should be, and leaves the writing to this file:
 *
 *   finalizer added ──► reconcile ──► children that a whole set no longer has are deleted ──► status written
 *   deletion asked for ──► cleanup ──► finalizer removed
 *
 * Nothing is deleted for not having been applied, unless the reconcile says that what it applied is all.
 */
import type { KubernetesObject, Manifest, ResourceType } from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { ControllerOptions } from '../controller/controller-options.ts';
import type { ReconcileContext, ReconcileResult } from '../controller/reconcile.ts';
import { keyFor } from '../object-key.ts';
import { type ConditionClaim, conditionOf } from './condition.ts';
import { declarationOf } from './declaration.ts';
import { checkFinalizerName, hasFinalizer } from './finalizer.ts';
import { RecentUids } from './recent-uids.ts';
import type { ApplyOptions } from './write-options.ts';
import type { Writer } from './writer.ts';

/** What a declarative reconcile can do beside looking. */
export interface DeclarativeContext extends ReconcileContext {
  /** Makes a child exist and have these fields, as {@link Writer.apply} with the reconciled object as owner. */
  apply<C extends KubernetesObject>(
    type: ResourceType<C>,
    manifest: Manifest<C>,
    options?: Pick<ApplyOptions, 'adopt'>,
  ): Promise<C>;
}

/** What a declarative reconcile says. */
export interface DeclarativeResult<S> extends ReconcileResult {
  /** What the whole status should be, as {@link Writer.writeStatus} takes it; left alone unless given. */
  status?: S | undefined;
  /** What was applied is all: children of the kinds in `prunes` that were not applied are deleted. False unless given. */
  whole?: boolean;
}

/** Nothing, or to be called again because the clean-up is not done yet. */
// biome-ignore lint/suspicious/noConfusingVoidType: a clean-up that is done returns nothing.
export type CleanupResult = ReconcileResult | void;

/** An operator written as what should be, instead of what to do. */
export interface DeclarativeOptions<T extends KubernetesObject, S extends object = object> {
  writer: Writer;
  /** The reconciled kind. */
  for: ObjectCache<T>;
  /** Kinds of children of which those are deleted that a whole set no longer has; none unless given. */
  prunes?: readonly ObjectCache<KubernetesObject>[];
  // biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that says nothing returns nothing.
  reconcile: (object: T, context: DeclarativeContext) => Promise<DeclarativeResult<S> | void>;
  /**
   * What must be done before an object may go, beyond the deletion of its children, which needs nobody. It is called
   * until it succeeds; the object is held by the finalizer meanwhile. May be called again after it has succeeded.
   */
  finalizer?: { name: string; cleanup: (object: T, context: DeclarativeContext) => Promise<CleanupResult> };
  /**
   * The condition that is `False` after a PermanentError, for example `Ready`, and `True` after a success that doesn't
   * say otherwise. The kind's status must have conditions. Errors are not shown on the object unless given.
   */
  errorCondition?: string;
}

/** What to give to createController. */
export type DeclarativeParts<T extends KubernetesObject> = Required<
  Pick<ControllerOptions<T>, 'reconcile' | 'onPermanentError' | 'refresh'>
>;

/**
 * Turns a declarative reconcile into what a controller runs: finalizer, children, pruning, status.
 *
 * @example createController({ name: 'echo', for: echoes, owns: [maps], ...declarative({ writer, for: echoes, … }) })
 */
export function declarative<T extends KubernetesObject, S extends object = object>(
  options: DeclarativeOptions<T, S>,
): DeclarativeParts<T> {
  const { writer, finalizer, errorCondition, prunes = [], for: cache } = options;
  const { type } = cache;
  const hold = finalizer && finalizerHold(writer, type, finalizer.name);
  return {
    async reconcile(object, context) {
      const { signal } = context;
      const declared = new Set<string>();
      const contextOf = (owner: T) => ({ ...context, apply: childApply(writer, owner, declared, signal) });
      if (object.metadata.deletionTimestamp) {
        // Children go with their owner; without a finalizer of ours nothing else is ours to do.
        return await hold?.release(object, context, async () => await finalizer?.cleanup(object, contextOf(object)));
      }
      const held = hold ? await hold.take(object, context) : object;
      if (!held) return undefined;
      // Conditions that are there already were said by others, or by us some other time.
      const { conditions: _, ...before } = statusOf(held);
      const said = (await options.reconcile(held, contextOf(held))) ?? {};
      signal.throwIfAborted();
      if (said.whole) await writer.prune(held, prunes, declared, { signal });
      const status = errorCondition ? withSuccess(said.status ?? before, errorCondition) : said.status;
      if (status) await writer.writeStatus(type, held, status, { signal });
      return { requeueAfter: said.requeueAfter };
    },
    async onPermanentError(object, { reason, message }, { signal }) {
      if (!errorCondition) return;
      const claim: ConditionClaim = { type: errorCondition, status: 'False', reason, message };
      await writer.writeStatus(type, object, { ...statusOf(object), conditions: [claim] }, { signal });
    },
    refresh: (reference, signal) => writer.refresh(type, reference, { signal }),
  };
}

/** Keeps objects from being gone before something was done. */
export interface FinalizerHold<T extends KubernetesObject> {
  /** The object with the finalizer; undefined if it is gone or being deleted. */
  take(object: T, context: Pick<ReconcileContext, 'signal'>): Promise<T | undefined>;
  /** Lets an object go that is being deleted, once `finalize` has succeeded and does not ask to be called again. */
  release(
    object: T,
    context: Pick<ReconcileContext, 'signal'>,
    finalize: () => Promise<CleanupResult>,
  ): Promise<ReconcileResult | undefined>;
}

export function finalizerHold<T extends KubernetesObject>(
  writer: Writer,
  type: ResourceType<T>,
  name: string,
): FinalizerHold<T> {
  checkFinalizerName(name);
  // The cache shows them until its watch has told of their end.
  const gone = new RecentUids();
  return {
    take: (object, { signal }) => writer.addFinalizer(type, object, name, { signal }),
    async release(object, { signal }, finalize) {
      const { uid } = object.metadata;
      if (!hasFinalizer(object, name) || gone.has(uid)) return undefined;
      const result = await finalize();
      signal.throwIfAborted();
      if (result?.requeueAfter !== undefined) return result;
      const left = await writer.removeFinalizer(type, object, name, { signal });
      if (!left) gone.add(uid);
      return undefined;
    },
  };
}

/** Applies children of an owner, and notes in `declared` which. */
export function childApply(
  writer: Writer,
  owner: KubernetesObject,
  declared: Set<string>,
  signal: AbortSignal,
): DeclarativeContext['apply'] {
  return async (type, manifest, { adopt = false } = {}) => {
    const { name = '', namespace = owner.metadata.namespace } = manifest.metadata;
    // Before it is sent: a child that can't be written now is wanted all the same, and must not be deleted.
    declared.add(declarationOf(type, keyFor(type.namespaced ? { name, namespace } : { name })));
    return await writer.apply(type, manifest, { owner, adopt, signal });
  };
}

/** A status with the condition that says so, unless it says so in its own way. */
export function withSuccess(status: { conditions?: ConditionClaim[] }, condition: string): object {
  const { conditions = [] } = status;
  if (conditionOf(conditions, condition)) return status;
  return { ...status, conditions: [...conditions, { type: condition, status: 'True', reason: 'Reconciled' }] };
}

function statusOf(object: KubernetesObject): { conditions?: ConditionClaim[] } {
  return (object as KubernetesObject & { status?: object }).status ?? {};
}
