/**
 * Children of several owners: each of them adds an owner reference that is no controller's, and the garbage collector takes the child
 * when the last of them is gone.
 *
 * What is in it is written in the operator's name, as all else. The references are not: an apply takes away what the same name
 * gave before and doesn't now, so one owner would take away the other's. Each is written in a name of its own.
 */
import type { KubernetesObject, Manifest, ResourceType } from '@kurator/client';
import { managedByLabel } from '../../writing/declaration.ts';
import { controllerReference, refuseForeignChild, refuseRemoteOwner } from '../../writing/owner.ts';
import type { Adopt } from '../../writing/write-options.ts';
import type { ControllerScope } from './controller-scope.ts';
import type { OwnedKind } from './lookups.ts';

export interface SharedChildOptions {
  readonly owner: KubernetesObject;
  readonly adopt: Adopt;
  readonly signal: AbortSignal;
}

export async function applyShared<C extends KubernetesObject>(
  scope: ControllerScope,
  { cache, cluster }: OwnedKind<C>,
  type: ResourceType<C>,
  manifest: Manifest<C>,
  { owner, adopt, signal }: SharedChildOptions,
): Promise<C> {
  const { fieldManager, primary } = scope;
  const { apiVersion, kind, name, uid } = controllerReference(owner);
  const reference = { apiVersion, kind, name, uid };
  const { labels, namespace = owner.metadata.namespace, ...rest } = manifest.metadata;
  const place = type.namespaced && namespace ? { namespace } : {};
  const isThere = cache.get({ name: rest.name ?? '', ...place }) !== undefined;
  const metadata = {
    ...rest,
    ...place,
    labels: { ...labels, [managedByLabel]: fieldManager },
    // Else one that is made right before the owner is deleted and this process ends would be nobody's.
    ...(isThere ? {} : { ownerReferences: [reference] }),
  };
  refuseRemoteOwner(owner, type, { apiVersion: type.apiVersion, kind: type.kind, metadata } as KubernetesObject);
  const refuse = (live: KubernetesObject) => refuseForeignChild(owner, live, fieldManager, adopt);
  const child = await scope.writer(cluster).apply(type, { ...manifest, metadata }, { refuse, signal });
  const isHeld = isThere && child.metadata.ownerReferences?.some((one) => one.uid === uid);
  if (isHeld || scope.dryRun) return child;
  // With its uid: were it gone by now, this would make an empty one.
  const held = { name: child.metadata.name, ...place, uid: child.metadata.uid, ownerReferences: [reference] };
  const options = { fieldManager: `${fieldManager}-${uid}`, force: true, signal };
  const answer = await primary.client.apply(type, { metadata: held } as unknown as Manifest<C>, options);
  cache.observe(answer);
  return answer;
}
