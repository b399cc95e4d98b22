import {
  isConflict,
  isNotFound,
  type KubernetesObject,
  type ObjectReference,
  type ResourceType,
} from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import { keyFor, keyOf, type ObjectKey } from '../object-key.ts';
import { declarationOf, managedByLabel } from './declaration.ts';
import { controllerReference } from './owner.ts';
import type { WritingTools } from './writing-tools.ts';

/** Deletes the children that we applied once and that are not declared any more; returns them. */
export async function prune(
  tools: WritingTools,
  owner: KubernetesObject,
  caches: readonly ObjectCache<KubernetesObject>[],
  declared: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<KubernetesObject[]> {
  const { uid } = controllerReference(owner);
  const pruned: KubernetesObject[] = [];
  for (const cache of caches) {
    const isDeclared = (key: ObjectKey) => declared.has(declarationOf(cache.type, key));
    for (const child of cache.ownedBy(uid, isDeclared)) {
      if (!isLeftToUs(tools, child) || isDeclared(keyOf(child))) continue;
      if (await remove(tools, cache.type, child, signal)) pruned.push(child);
    }
  }
  return pruned;
}

/** Deletes one child that we applied; false if there is none of that name that is the owner's and ours. */
export async function removeChild(
  tools: WritingTools,
  owner: KubernetesObject,
  cache: ObjectCache<KubernetesObject>,
  reference: ObjectReference,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const child = findChild(tools, owner, cache, reference);
  return child !== undefined && (await remove(tools, cache.type, child, signal));
}

/** The owner's child of that name, if we applied it and nobody has begun to delete it. */
export function findChild(
  tools: WritingTools,
  owner: KubernetesObject,
  cache: ObjectCache<KubernetesObject>,
  reference: ObjectReference,
): KubernetesObject | undefined {
  const { uid } = controllerReference(owner);
  const key = keyFor(reference);
  const child = cache.ownedBy(uid).find((one) => keyOf(one) === key);
  return child && isLeftToUs(tools, child) ? child : undefined;
}

/** Whether this manager applied it, and nobody has begun to delete it. */
export function isLeftTo(fieldManager: string, { metadata }: KubernetesObject): boolean {
  return metadata.labels?.[managedByLabel] === fieldManager && !metadata.deletionTimestamp;
}

function isLeftToUs({ fieldManager, released }: WritingTools, child: KubernetesObject): boolean {
  return isLeftTo(fieldManager, child) && !released.has(versionOf(child));
}

/** Changes with each write to it. */
export function versionOf({ metadata: { uid, resourceVersion } }: KubernetesObject): string {
  return `${uid} ${resourceVersion}`;
}

async function remove(
  { client, counts, deleted }: WritingTools,
  type: ResourceType,
  child: KubernetesObject,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { uid } = child.metadata;
  if (deleted.has(uid)) return false;
  try {
    await client.delete(type, child.metadata, { signal, ...(uid ? { preconditions: { uid } } : {}) });
    counts.sent++;
    deleted.add(uid);
    return true;
  } catch (error) {
    // It is gone, or one of the same name took its place, which is looked at when the cache has it.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    deleted.add(uid);
    return false;
  }
}
