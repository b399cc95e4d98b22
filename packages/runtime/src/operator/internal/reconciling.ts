/** Turns what an author wrote into what a controller runs: children, status, conditions, events and clean-up around it. */
import type { KubernetesObject } from '@kurator/client';
import { PermanentError } from '../../controller/permanent-error.ts';
import type { ReconcileContext } from '../../controller/reconcile.ts';
import {
  type CleanupResult,
  type DeclarativeContext,
  type DeclarativeParts,
  type DeclarativeResult,
  declarative,
} from '../../writing/declarative.ts';
import { hasFinalizer } from '../../writing/finalizer.ts';
import { deleteElsewhere, keepForNow } from './afterlife.ts';
import { authorContext, beginPass, type Pass } from './author-context.ts';
import { childrenPolicy } from './children-policy.ts';
import { removedWhenDone } from './finished.ts';
import { isTelling, messageOf, reasonOf, statusAfter, statusAfterFailure } from './outcome.ts';
import { needsFinalizer, type Room } from './room.ts';

export function reconciling(room: Room): DeclarativeParts<KubernetesObject> {
  const { definition, finalizer, home, cache, readyCondition } = room;
  const holds = needsFinalizer(definition);
  const parts = declarative<KubernetesObject>({
    writer: room.writer(home.name),
    for: cache,
    prunes: room.prunes,
    reconcile: (object, context) => converge(room, object, context),
    ...(holds ? { finalizer: { name: finalizer, cleanup: (object, context) => cleanUp(room, object, context) } } : {}),
    ...(readyCondition ? { errorCondition: readyCondition } : {}),
  });
  return {
    ...parts,
    async reconcile(object, context) {
      try {
        if (!holds) await releaseIfLeftOver(room, object, context);
        const result = await parts.reconcile(object, context);
        return await removedWhenDone(room, context.reference, result, context.signal);
      } catch (error) {
        // A permanent error is told by `onPermanentError`, which the controller calls.
        const passes = context.signal.aborted || error instanceof PermanentError;
        if (!passes && isTelling(error, context.failures)) await tellIfPossible(room, object, error, context);
        throw error;
      }
    },
    onPermanentError: (object, error, context) => tell(room, object, error, context),
  };
}

async function converge(
  room: Room,
  object: KubernetesObject,
  context: DeclarativeContext,
): Promise<DeclarativeResult<object>> {
  const { definition, readyCondition } = room;
  const pass = beginPass();
  const result = (await definition.reconcile(object, authorContext(room, object, context, pass))) ?? {};
  context.signal.throwIfAborted();
  const whole = pass.set === 'whole';
  if (whole) await pruneElsewhere(room, object, pass, context.signal);
  const { requeueAfter, status, conditions } = result;
  if (!readyCondition && !conditions) return { status, requeueAfter, whole };
  return { status: statusAfter(object, result), requeueAfter, whole };
}

async function cleanUp(room: Room, object: KubernetesObject, context: DeclarativeContext): Promise<CleanupResult> {
  await untilIdle(room, context);
  const result = await room.definition.cleanup?.(object, authorContext(room, object, context, beginPass()));
  if (result?.requeueAfter !== undefined) return result;
  context.signal.throwIfAborted();
  const policy = childrenPolicy(room.definition);
  if (policy === 'keep') await keepForNow(room, object, context.signal);
  if (policy === 'delete') await deleteElsewhere(room, object, context.signal);
  return undefined;
}

/** A daemon may still use what the clean-up is about to take away. */
async function untilIdle({ schedules }: Room, { reference, signal }: ReconcileContext): Promise<void> {
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

async function pruneElsewhere(
  { elsewhere, writer }: Room,
  owner: KubernetesObject,
  pass: Pass,
  signal: AbortSignal,
): Promise<void> {
  for (const { cluster, cache, prune } of elsewhere) {
    if (prune) await writer(cluster).prune(owner, [cache], pass.elsewhere.get(cluster) ?? new Set(), { signal });
  }
}

/** An earlier version of the operator may have needed the finalizer: nobody else would ever remove it. */
async function releaseIfLeftOver(
  { finalizer, writer, home, cache }: Room,
  object: KubernetesObject,
  context: ReconcileContext,
): Promise<void> {
  if (!object.metadata.deletionTimestamp || !hasFinalizer(object, finalizer)) return;
  await writer(home.name).removeFinalizer(cache.type, object, finalizer, context);
}

/** Says on the object, and in an event, what went wrong with it. */
async function tell(
  { home, cache, writer, readyCondition }: Room,
  object: KubernetesObject,
  error: unknown,
  { signal }: Pick<ReconcileContext, 'signal'>,
): Promise<void> {
  const note = messageOf(error);
  home.events.record(object, { type: 'Warning', reason: reasonOf(error), action: 'Reconcile', note });
  if (!readyCondition) return;
  const status = statusAfterFailure(object, readyCondition, error);
  await writer(home.name).writeStatus(cache.type, object, status, { signal });
}

/** What can't be told is told with the next failure; the failure itself must not be lost for it. */
async function tellIfPossible(
  room: Room,
  object: KubernetesObject,
  error: unknown,
  context: ReconcileContext,
): Promise<void> {
  try {
    await tell(room, object, error, context);
  } catch (trouble) {
    room.logger.warn({ key: context.key, error: trouble }, 'a failure could not be shown in the status');
  }
}
