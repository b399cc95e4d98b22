import type { KubernetesObject, ObjectReference } from '@kurator/client';

/** `namespace/name`, or `name` for kinds of the whole cluster: what queues, caches and logs call an object by. */
export type ObjectKey = string;

/** The key of an object. */
export function keyOf({ metadata }: Pick<KubernetesObject, 'metadata'>): ObjectKey {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

/** The key of the object that a reference means. */
export function keyFor({ name, namespace }: ObjectReference): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

/** The reference that a key stands for. */
export function referenceOf(key: ObjectKey): ObjectReference {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
