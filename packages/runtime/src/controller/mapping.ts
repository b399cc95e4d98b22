/** From an object that changed to the objects that it concerns. */
import type { KubernetesObject, ObjectReference, OwnerReference, ResourceType } from '@kurator/client';

/** Which objects of the reconciled kind a change of this object concerns. */
export type MapFunction<T extends KubernetesObject> = (
  object: T,
) => ObjectReference | readonly ObjectReference[] | undefined;

/** The object of this kind that controls another, by the owner reference with `controller: true`. */
export function controllerOfKind(owner: ResourceType): (object: KubernetesObject) => ObjectReference | undefined {
  const owners = ownersOfKind(owner, ({ controller }) => controller === true);
  return (object) => owners(object)[0];
}

/** All objects of this kind that own another, or those of them whose reference is meant. */
export function ownersOfKind(
  owner: ResourceType,
  isMeant: (reference: OwnerReference) => boolean = () => true,
): (object: KubernetesObject) => ObjectReference[] {
  const group = groupOf(owner.apiVersion);
  const isOwner = (reference: OwnerReference) =>
    // By group, not by version: an owner written as v1alpha1 is the same object that we read as v1.
    reference.kind === owner.kind && groupOf(reference.apiVersion) === group && isMeant(reference);
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter(isOwner)
      .map(({ name }) => ({ name, namespace: owner.namespaced ? metadata.namespace : undefined }));
}

/** The empty text for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
