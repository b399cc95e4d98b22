/** What a controller can look up, from the caches of the kinds that it declared. */
import type { KubernetesObject, ObjectReference, ResourceType } from '@kurator/client';
import type { ObjectCache } from '../../cache/object-cache.ts';
import { RuntimeError } from '../../error.ts';
import { declarationOf } from '../../writing/declaration.ts';
import { type AnyType, type ControllerDefinition, OWN_CLUSTER, type WatchedKind } from '../definition.ts';
import type { Concerned, Lookup } from '../lookup.ts';
import type { CacheChoice } from '../settings.ts';
import { type ClusterScope, clusterScope, inCluster, indexName } from './cluster-scope.ts';
import { clusterOf, isRemote } from './declared-kinds.ts';
import { ownedByLabel } from './remote-children.ts';

export type AnyLookup = Lookup<string, string>;

export interface Lookups {
  /** As seen from an object: names without a namespace mean its own. */
  from(namespace: string | undefined): AnyLookup;
  /** The cache that a kind's children are found in by their owner's uid; throws unless it is declared by `owns`. */
  owned<C extends KubernetesObject>(type: ResourceType<C>, cluster: string | undefined): OwnedKind<C>;
}

export interface OwnedKind<C extends KubernetesObject> {
  readonly cache: ObjectCache<C>;
  readonly cluster: string;
  /** Whether the operator must tell whose they are. */
  readonly remote: boolean;
  /** Whether one of them may have several owners. */
  readonly shared: boolean;
}

export function createLookups(controller: ControllerDefinition, clusters: ReadonlyMap<string, ClusterScope>): Lookups {
  const primary = controller.settings.cluster ?? OWN_CLUSTER;
  const caches = new Map<string, ObjectCache<KubernetesObject>>();
  const owned = new Map<string, OwnedKind<KubernetesObject>>();
  const know = (
    cluster: string,
    type: AnyType,
    choice: CacheChoice<KubernetesObject>,
  ): ObjectCache<KubernetesObject> => {
    const cache = clusterScope(clusters, cluster).cache(type, choice);
    const key = placeKey(cluster, type);
    // Of several choices of one kind, the widest is what a lookup should see.
    if (!caches.has(key) || isWhole(choice)) caches.set(key, cache);
    return cache;
  };
  for (const kind of controller.kinds) {
    const cache = know(clusterOf(kind), kind.type, kind.settings);
    if (kind.role === 'own') owned.set(placeKey(clusterOf(kind), kind.type), ownedKind(controller, kind, cache));
  }
  know(primary, controller.type, controller.settings);

  function cacheOf<C extends KubernetesObject>(type: ResourceType<C>, cluster = primary): ObjectCache<C> {
    const found = caches.get(placeKey(cluster, type as unknown as AnyType));
    if (found) return found as unknown as ObjectCache<C>;
    throw new RuntimeError(
      'KUR_RUNTIME_NOT_DECLARED',
      `controller ${controller.name} does not look at ${type.kind}${inCluster(cluster)}`,
      { remedy: `declare it: .reads(${type.kind}), .watches(${type.kind}, …) or .owns(${type.kind})` },
    );
  }

  return {
    from: (namespace) => ({
      get: (type, which, { cluster } = {}) => cacheOf(type, cluster).get(referenceFrom(which, type, namespace)),
      list(type, { cluster, labels, namespace: asked = type.namespaced ? namespace : undefined } = {}) {
        const query = asked === undefined || asked === '*' ? {} : { namespace: asked };
        return cacheOf(type, cluster).list({ ...query, ...(labels ? { labels } : {}) });
      },
      byIndex(type, index, value, { cluster } = {}) {
        const known = controller.indexes.some(
          (one) => one.name === index && declarationOf(one.type) === declarationOf(type),
        );
        if (known) return cacheOf(type, cluster).byIndex(indexName(controller, index), value);
        const remedy = `declare it: .index(${type.kind}, '${index}', (object) => …)`;
        throw new RuntimeError('KUR_RUNTIME_NO_INDEX', `${type.plural} have no index "${index}"`, { remedy });
      },
    }),
    owned<C extends KubernetesObject>(type: ResourceType<C>, cluster = primary) {
      const found = owned.get(placeKey(cluster, type as unknown as AnyType));
      if (found) return found as unknown as OwnedKind<C>;
      throw new RuntimeError(
        'KUR_RUNTIME_NOT_DECLARED',
        `controller ${controller.name} does not own ${type.kind}${inCluster(cluster)}`,
        { remedy: `declare it: .owns(${type.kind}${cluster === primary ? '' : `, { cluster: '${cluster}' }`})` },
      );
    },
  };
}

/** The references that an author's answer means; names without a namespace mean that of what changed. */
export function referencesOf(
  concerned: Concerned | readonly Concerned[] | undefined,
  type: ResourceType,
  namespace: string | undefined,
): ObjectReference[] {
  if (concerned === undefined) return [];
  const all = Array.isArray(concerned) ? (concerned as readonly Concerned[]) : [concerned as Concerned];
  return all.map((one) => {
    if (typeof one === 'string' || !('metadata' in one)) return referenceFrom(one, type, namespace);
    return { name: one.metadata.name, namespace: one.metadata.namespace };
  });
}

function ownedKind(controller: ControllerDefinition, kind: WatchedKind, cache: ObjectCache<KubernetesObject>) {
  const remote = isRemote(controller, kind);
  const { shared = false } = kind.settings;
  return { cache: remote ? ownedByLabel(cache) : cache, cluster: clusterOf(kind), remote, shared };
}

/** One object; a name without a namespace means this one. */
export function referenceFrom(
  which: string | ObjectReference,
  type: ResourceType,
  namespace: string | undefined,
): ObjectReference {
  const { name, namespace: own } = typeof which === 'string' ? { name: which, namespace: undefined } : which;
  return type.namespaced ? { name, namespace: own ?? namespace } : { name };
}

/** Whether nothing is left out: no object, and nothing of one. */
function isWhole({ labels, fields, metadataOnly = false, transform }: CacheChoice<KubernetesObject>): boolean {
  return labels === undefined && fields === undefined && !metadataOnly && transform === undefined;
}

function placeKey(cluster: string, type: AnyType): string {
  return `${cluster} ${declarationOf(type)}`;
}
