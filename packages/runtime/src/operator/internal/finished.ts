/** Removes objects that are done, after the time that their kind declares. */
import { isConflict, isNotFound, type ObjectReference } from '@kurator/client';
import type { ReconcileResult } from '../../controller/reconcile.ts';
import { parseDuration } from '../../duration.ts';
import { asResource } from './resources.ts';
import type { Room } from './room.ts';

/** What a reconcile's result becomes: earlier if the object is to be removed earlier, nothing if it was. */
export async function removedWhenDone(
  { definition, cache, home, clock }: Room,
  reference: ObjectReference,
  // biome-ignore lint/suspicious/noConfusingVoidType: as a reconcile returns it.
  result: ReconcileResult | void,
  signal: AbortSignal,
): Promise<ReconcileResult | undefined> {
  const resource = asResource(definition.type);
  if (!resource?.definition.cleanup.finished) return result ?? undefined;
  const { removalTime } = await import('@kurator/schema');
  const object = cache.get(reference);
  const due = object && !object.metadata.deletionTimestamp ? removalTime(resource, object) : undefined;
  if (object === undefined || due === undefined) return result ?? undefined;
  const wait = due - clock.date();
  if (wait > 0) {
    const asked = result?.requeueAfter === undefined ? wait : parseDuration(result.requeueAfter, 'requeueAfter');
    return { requeueAfter: Math.min(asked, wait) };
  }
  const { uid } = object.metadata;
  try {
    await home.client.delete(cache.type, reference, { signal, ...(uid ? { preconditions: { uid } } : {}) });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return undefined;
}
