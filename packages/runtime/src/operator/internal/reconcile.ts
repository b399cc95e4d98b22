/**
 * One reconcile of an operator, from what the controller calls to the last write:
 *
 *   the object lives:  finalizer added ──► author's reconcile ──► what a whole set no longer has goes ──► status ──► removed if it is done
 *   it is to be gone:  schedules end ──► author's clean-up ──► remote children go, or are kept for a time ──► finalizer removed
 *   it failed:         an event and the condition say why
 */
import { isConflict, isNotFound, type KubernetesObject, type ObjectReference } from '@kurator/client';
import type { ControllerOptions } from '../../controller/controller-options.ts';
import { PermanentError } from '../../controller/permanent-error.ts';
import type { ReconcileContext, ReconcileResult } from '../../controller/reconcile.ts';
import { parseDuration } from '../../duration.ts';
import { hasFinalizer } from '../../writing/finalizer.ts';
import { RecentUids } from '../../writing/recent-uids.ts';
import type { CleanupResult } from '../author.ts';
import { authorContext, beginPass, type Pass } from './author-context.ts';
import type { ControllerScope } from './controller-scope.ts';
import { asResource, childrenPolicy, needsFinalizer } from './declared-kinds.ts';
import { isTelling, noteOf, reasonOf, statusAfter, statusAfterFailure, withSuccess } from './outcome.ts';
import { deleteRemoteChildren, retainChildren } from './retained-children.ts';

type Steps = Required<Pick<ControllerOptions<KubernetesObject>, 'reconcile' | 'onPermanentError' | 'refresh'>>;

/** What a controller runs for each object. */
export function reconcileSteps(scope: ControllerScope): Steps {
  const { definition, primary, cache } = scope;
  const writer = scope.writer(primary.name);
  const hold = finalizerHold(scope);
  const isHeld = needsFinalizer(definition);
  // Also where it isn't needed: an earlier version of the operator may have needed it, and nobody else would remove it.
  const letGo = (object: KubernetesObject, context: ReconcileContext) =>
    hold.release(object, context, async () => (isHeld ? await finalize(scope, object, context) : undefined));
  return {
    async reconcile(object, context) {
      try {
        if (object.metadata.deletionTimestamp) return await letGo(object, context);
        const held = isHeld ? await hold.take(object, context) : object;
        const result = held && (await converge(scope, held, context));
        return await removedWhenDone(scope, context.reference, result, context.signal);
      } catch (error) {
        // A permanent error is told by `onPermanentError`, which the controller calls.
        const passes = context.signal.aborted || error instanceof PermanentError;
        if (!passes && isTelling(error, context.failures)) await tellIfPossible(scope, object, error, context);
        throw error;
      }
    },
    onPermanentError: (object, error, context) => tell(scope, object, error, context),
    refresh: (reference, signal) => writer.refresh(cache.type, reference, { signal }),
  };
}

interface FinalizerHold {
  /** The object with the finalizer; undefined if it is gone or being deleted. */
  take(object: KubernetesObject, context: ReconcileContext): Promise<KubernetesObject | undefined>;
  /** Lets an object go that is being deleted, once `finalize` has succeeded and does not ask to be called again. */
  release(
    object: KubernetesObject,
    context: ReconcileContext,
    finalize: () => Promise<CleanupResult>,
  ): Promise<ReconcileResult | undefined>;
}

/** Keeps objects from being gone before something was done. */
function finalizerHold({ writer, primary, cache: { type }, finalizer }: ControllerScope): FinalizerHold {
  // The cache shows them until its watch has told of their end.
  const gone = new RecentUids();
  return {
    take: (object, { signal }) => writer(primary.name).addFinalizer(type, object, finalizer, { signal }),
    async release(object, { signal }, finalize) {
      const { uid } = object.metadata;
      if (!hasFinalizer(object, finalizer) || gone.has(uid)) return undefined;
      const result = await finalize();
      signal.throwIfAborted();
      if (result?.requeueAfter !== undefined) return result;
      const left = await writer(primary.name).removeFinalizer(type, object, finalizer, { signal });
      if (!left) gone.add(uid);
      return undefined;
    },
  };
}

async function converge(
  scope: ControllerScope,
  object: KubernetesObject,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { definition, readyCondition, primary, cache } = scope;
  const { signal } = context;
  const pass = beginPass();
  const result = (await definition.reconcile?.(object, authorContext(scope, object, context, pass))) ?? {};
  signal.throwIfAborted();
  if (pass.set === 'whole') await prune(scope, object, pass, signal);
  const said = readyCondition || result.conditions ? statusAfter(object, result) : result.status;
  const status = readyCondition ? withSuccess(said ?? {}, readyCondition) : said;
  if (status) await scope.writer(primary.name).writeStatus(cache.type, object, status, { signal });
  return { requeueAfter: result.requeueAfter };
}

/** Deletes the children that a whole set no longer has. */
async function prune(
  { remote, pruned, primary, writer }: ControllerScope,
  owner: KubernetesObject,
  pass: Pass,
  signal: AbortSignal,
): Promise<void> {
  for (const { cluster, cache, prune } of remote) {
    if (prune) await writer(cluster).prune(owner, [cache], pass.remote.get(cluster) ?? new Set(), { signal });
  }
  signal.throwIfAborted();
  await writer(primary.name).prune(owner, pruned, pass.declared, { signal });
}

/** What must be done before an object may go; to be called again where it says so. */
async function finalize(
  scope: ControllerScope,
  object: KubernetesObject,
  context: ReconcileContext,
): Promise<CleanupResult> {
  await untilIdle(scope, context);
  const result = await scope.definition.cleanup?.(object, authorContext(scope, object, context, beginPass()));
  if (result?.requeueAfter !== undefined) return result;
  context.signal.throwIfAborted();
  const policy = childrenPolicy(scope.definition);
  if (policy === 'keep') await retainChildren(scope, object, context.signal);
  if (policy === 'delete') await deleteRemoteChildren(scope, object, context.signal);
  return undefined;
}

/** A daemon may still use what the clean-up is about to take away. */
async function untilIdle({ schedules }: ControllerScope, { reference, signal }: ReconcileContext): Promise<void> {
  if (schedules.length === 0) return;
  const broken = Promise.withResolvers<never>();
  const onAbort = () => broken.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([broken.promise, Promise.all(schedules.map((schedule) => schedule.untilIdle(reference)))]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Removes an object that is done, after the time that its kind declares; until then it is looked at again in time. */
async function removedWhenDone(
  { definition, cache, primary, clock }: ControllerScope,
  reference: ObjectReference,
  result: ReconcileResult | undefined,
  signal: AbortSignal,
): Promise<ReconcileResult | undefined> {
  const resource = asResource(definition.type);
  if (!resource?.definition.cleanup.finished) return result;
  const { removalTime } = await import('@kurator/schema');
  const object = cache.get(reference);
  const due = object && !object.metadata.deletionTimestamp ? removalTime(resource, object) : undefined;
  if (object === undefined || due === undefined) return result;
  const wait = due - clock.date();
  if (wait > 0) {
    const asked = result?.requeueAfter === undefined ? wait : parseDuration(result.requeueAfter, 'requeueAfter');
    return { requeueAfter: Math.min(asked, wait) };
  }
  const { uid } = object.metadata;
  try {
    await primary.client.delete(cache.type, reference, { signal, ...(uid ? { preconditions: { uid } } : {}) });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return undefined;
}

/** Says on the object, and in an event, what went wrong with it. */
async function tell(
  { primary, cache, writer, readyCondition }: ControllerScope,
  object: KubernetesObject,
  error: unknown,
  { signal }: Pick<ReconcileContext, 'signal'>,
): Promise<void> {
  const note = noteOf(error);
  primary.events.record(object, { type: 'Warning', reason: reasonOf(error), action: 'Reconcile', note });
  if (!readyCondition) return;
  const status = statusAfterFailure(object, readyCondition, error);
  await writer(primary.name).writeStatus(cache.type, object, status, { signal });
}

/** What can't be told is told with the next failure; the failure itself must not be lost for it. */
async function tellIfPossible(
  scope: ControllerScope,
  object: KubernetesObject,
  error: unknown,
  context: ReconcileContext,
): Promise<void> {
  try {
    await tell(scope, object, error, context);
  } catch (trouble) {
    scope.logger.warn({ key: context.key, error: trouble }, 'a failure could not be shown in the status');
  }
}
