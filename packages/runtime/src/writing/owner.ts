/** Whose an object is: what makes the garbage collector delete it with its owner. */
import type { KubernetesObject, OwnerReference, ResourceType } from '@kurator/client';
import { RuntimeError } from '../error.ts';
import { managedByLabel } from './declaration.ts';
import type { Adopt } from './write-options.ts';

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
export function refuseRemoteOwner(owner: KubernetesObject, type: ResourceType, child: KubernetesObject): void {
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

/**
 * Refuses to take a child away from another controller (the server would refuse it too, but less clearly), and to take over
 * what was not made for the owner, unless it may be adopted.
 */
export function refuseForeignChild(
  owner: KubernetesObject,
  live: KubernetesObject,
  fieldManager: string,
  adopt?: Adopt,
): void {
  const { ownerReferences = [] } = live.metadata;
  const other = ownerReferences.find(({ controller, uid }) => controller && uid !== owner.metadata.uid);
  if (other) {
    throw new RuntimeError(
      'KUR_RUNTIME_FOREIGN_CHILD',
      `${describe(live)} is controlled by ${other.kind} ${other.name}, so ${describe(owner)} can't have it`,
      { remedy: 'give the child another name, or delete the other owner' },
    );
  }
  if (!ownerReferences.some(({ uid }) => uid === owner.metadata.uid)) refuseStranger(owner, live, fieldManager, adopt);
}

/** Nothing is taken over for having the right name: refuses what this operator has not made and may not adopt. */
export function refuseStranger(
  owner: KubernetesObject,
  live: KubernetesObject,
  fieldManager: string,
  adopt: Adopt = false,
): void {
  if (live.metadata.labels?.[managedByLabel] === fieldManager) return;
  if (typeof adopt === 'function' ? adopt(live) : adopt) return;
  throw new RuntimeError(
    'KUR_RUNTIME_FOREIGN_CHILD',
    `${describe(live)} is there already, and was not made for ${describe(owner)}, so it is left alone`,
    { remedy: 'give the child another name, delete what is there, or apply it with { adopt: true } to take it over' },
  );
}

/** For example `Echo default/hello`. */
function describe({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
}
