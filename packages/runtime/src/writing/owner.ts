/** Whose an object is: what makes the garbage collector delete it with its owner. */
import type { KubernetesObject, OwnerReference, ResourceType } from '@kurator/client';
import { RuntimeError } from '../error.ts';

/** The reference by which an object is controlled by `owner`. */
export function controllerReference(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  if (!metadata.uid) {
    throw new RuntimeError('KUR_RUNTIME_OWNER_WITHOUT_UID', `${describe(owner)} has no uid, so it can't own anything`, {
      remedy: 'pass the owner as the API server or a cache returned it',
    });
  }
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/**
 * Refuses an owner that the garbage collector would not find: it looks for a namespaced owner in the child's own
 * namespace only, and deletes the child when it finds none.
 */
export function refuseOwnerElsewhere(owner: KubernetesObject, type: ResourceType, child: KubernetesObject): void {
  const { namespace } = owner.metadata;
  if (!namespace || (type.namespaced && child.metadata.namespace === namespace)) return;
  const where = type.namespaced ? `in namespace ${child.metadata.namespace}` : 'of the whole cluster';
  throw new RuntimeError(
    'KUR_RUNTIME_OWNER_ELSEWHERE',
    `${describe(owner)} can't own ${type.kind} ${child.metadata.name} ${where}: Kubernetes would delete it at once`,
    {
      remedy: `apply it without an owner and delete it in the clean-up of a finalizer, or put it into namespace ${namespace}`,
    },
  );
}

/** Refuses to take a child away from another controller; the server would refuse it too, but less clearly. */
export function refuseForeignChild(owner: KubernetesObject, live: KubernetesObject): void {
  const other = live.metadata.ownerReferences?.find(({ controller, uid }) => controller && uid !== owner.metadata.uid);
  if (!other) return;
  throw new RuntimeError(
    'KUR_RUNTIME_FOREIGN_CHILD',
    `${describe(live)} is controlled by ${other.kind} ${other.name}, so ${describe(owner)} can't have it`,
    { remedy: 'give the child another name, or delete the other owner' },
  );
}

/** For example `Echo default/hello`. */
function describe({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
}
