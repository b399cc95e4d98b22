/**
 * Children that Kubernetes can't see the owner of: in another cluster, in another namespace, or of the whole cluster.
 * Labels and an annotation say whose they are; the operator deletes them itself.
 */
import type { Client, KubernetesObject, Manifest, ObjectReference, ResourceType } from '@kurator/client';
import type { ObjectCache } from '../../cache/object-cache.ts';
import { RuntimeError } from '../../error.ts';
import { keyFor, keyOf, referenceOf } from '../../object-key.ts';
import { managedByLabel, ownerAnnotation, ownerLabel } from '../../writing/declaration.ts';
import { refuseStranger } from '../../writing/owner.ts';
import type { Adopt } from '../../writing/write-options.ts';

export const OWNER_INDEX = 'kurator.dev/owner-label';

export function byOwnerLabel({ metadata }: KubernetesObject): readonly string[] {
  const uid = metadata.labels?.[ownerLabel];
  return uid ? [uid] : [];
}

/** The child as it is sent: with its place, and with whose it is. */
export function marked<C extends KubernetesObject>(
  type: ResourceType<C>,
  manifest: Manifest<C>,
  owner: KubernetesObject,
  fieldManager: string,
): Manifest<C> {
  const { labels, annotations, namespace = owner.metadata.namespace, ...rest } = manifest.metadata;
  const metadata = {
    ...rest,
    ...(type.namespaced && namespace ? { namespace } : {}),
    labels: { ...labels, [managedByLabel]: fieldManager, [ownerLabel]: owner.metadata.uid ?? '' },
    annotations: { ...annotations, [ownerAnnotation]: ownerText(owner) },
  };
  return { ...manifest, metadata };
}

/** Refuses a child that belongs to another, and one that nobody has marked, unless it may be adopted. */
export function refuseOthers(
  owner: KubernetesObject,
  live: KubernetesObject,
  fieldManager: string,
  adopt?: Adopt,
): void {
  const whose = live.metadata.annotations?.[ownerAnnotation];
  if (whose === ownerText(owner)) return;
  if (whose === undefined) {
    refuseStranger(owner, live, fieldManager, adopt);
    return;
  }
  throw new RuntimeError(
    'KUR_RUNTIME_FOREIGN_CHILD',
    `${live.kind} ${keyOf(live)} belongs to ${whose}, so ${ownerText(owner)} can't have it`,
    { remedy: 'give the child another name, or delete the other owner' },
  );
}

/** Whom a change of such a child concerns. */
export function ownerByAnnotation(type: ResourceType): (child: KubernetesObject) => ObjectReference | undefined {
  const kind = `${kindText(type)} `;
  return ({ metadata }) => {
    const text = metadata.annotations?.[ownerAnnotation];
    return text?.startsWith(kind) ? referenceOf(text.slice(kind.length)) : undefined;
  };
}

/** The same cache, in which children are found by the label instead of by their owner references. */
export function ownedByLabel<C extends KubernetesObject>(cache: ObjectCache<C>): ObjectCache<C> {
  return {
    type: cache.type,
    get synced() {
      return cache.synced;
    },
    untilSynced: (signal) => cache.untilSynced(signal),
    get: (reference) => cache.get(reference),
    list: (query) => cache.list(query),
    byIndex: (index, value) => cache.byIndex(index, value),
    ownedBy: (uid) => cache.byIndex(OWNER_INDEX, uid),
    listen: (listener) => cache.listen(listener),
    observe: (written) => cache.observe(written),
    covers: (reference) => cache.covers?.(reference) ?? true,
  };
}

/**
 * Asks the server for an owner's children: when it goes, none may be missed, also those that no watch has told of yet.
 *
 * @param namespaces Where to look; everywhere unless given.
 */
export async function childrenOf(
  client: Client,
  type: ResourceType<KubernetesObject>,
  owner: KubernetesObject,
  { namespaces, fieldManager, signal }: ChildrenQuery,
): Promise<KubernetesObject[]> {
  const labelSelector = `${ownerLabel}=${owner.metadata.uid},${managedByLabel}=${fieldManager}`;
  const places = type.namespaced && namespaces ? namespaces : [undefined];
  const lists = places.map((namespace) => client.list(type, { namespace, labelSelector, signal }));
  return (await Promise.all(lists)).flatMap(({ items }) => items);
}

interface ChildrenQuery {
  readonly namespaces: readonly string[] | undefined;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

function ownerText(owner: KubernetesObject): string {
  return `${kindText(owner)} ${keyFor(owner.metadata)}`;
}

/** Without the version: an owner that was written as v1alpha1 is the one that is read as v1. */
function kindText({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? kind : `${kind}.${apiVersion.slice(0, slash)}`;
}
