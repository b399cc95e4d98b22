/** Letting go of a child: it stays as it is, and all that is left of us is a word of where it came from. */
import { isNotFound, type KubernetesObject, type ObjectMeta, type ObjectReference } from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import { managedByLabel, ownerAnnotation, ownerLabel } from './declaration.ts';
import { findChild, versionOf } from './prune.ts';
import type { WritingTools } from './writing-tools.ts';

/** Who let go of it. No annotation: that would be a new generation of a Deployment. */
const releasedLabel = 'kurator.dev/released-by';

/** False if the owner has no child of that name that we applied. */
export async function releaseChild(
  tools: WritingTools,
  owner: KubernetesObject,
  cache: ObjectCache<KubernetesObject>,
  reference: ObjectReference,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { client, fieldManager } = tools;
  const { type } = cache;
  const child = findChild(tools, owner, cache, reference);
  // Who has which field is not in the cache, and the cache may not have heard yet that it was let go of.
  const live = child && (await client.find(type, child.metadata, { signal }));
  const { ownerReferences = [], labels = {}, annotations = {}, managedFields = [] } = live?.metadata ?? {};
  const others = ownerReferences.filter((one) => one.uid !== owner.metadata.uid);
  if (!live || (others.length === ownerReferences.length && labels[ownerLabel] !== owner.metadata.uid)) return false;
  const patch = {
    metadata: {
      uid: live.metadata.uid,
      resourceVersion: live.metadata.resourceVersion,
      ownerReferences: others,
      labels: { [managedByLabel]: null, [ownerLabel]: null, [releasedLabel]: fieldManager },
      ...(annotations[ownerAnnotation] === undefined ? {} : { annotations: { [ownerAnnotation]: null } }),
      managedFields: managedFields.map((entry) => (isApplied(entry, fieldManager) ? released(entry) : entry)),
    },
  };
  try {
    tools.observed(type, await client.patch(type, live.metadata, patch, { fieldManager, signal }));
    tools.released.add(versionOf(child));
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

type Entry = NonNullable<ObjectMeta['managedFields']>[number];

function isApplied({ manager, operation, subresource }: Entry, name: string): boolean {
  return manager === name && operation === 'Apply' && !subresource;
}

/**
 * The fields are nobody's now: else whoever has the object would be told, at each server-side apply, that they are ours. One
 * must be left: where no field has a manager, the next apply would share all of them with `before-first-apply`.
 */
function released(entry: Entry): Entry {
  return { ...entry, fieldsV1: { 'f:metadata': { 'f:labels': { [`f:${releasedLabel}`]: {} } } } };
}
