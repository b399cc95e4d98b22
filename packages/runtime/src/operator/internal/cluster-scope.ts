/**
 * The clusters that an operator works on. The scope of each: its client, whom to tell, and the caches that the controllers
 * need there, one for each kind and choice of its objects, however many controllers use it.
 */
import { type Client, createClient, type KubernetesObject, loadKubeconfig, type ResourceType } from '@kurator/client';
import type { CacheOptions, Caches } from '../../cache/cache.ts';
import type { ObjectCache } from '../../cache/object-cache.ts';
import type { IndexFunction } from '../../cache/object-table.ts';
import { fired, systemClock } from '../../clock.ts';
import { RuntimeError } from '../../error.ts';
import { createEventRecorder, type EventRecorder } from '../../events/event-recorder.ts';
import type { Manager } from '../../manager/manager.ts';
import { ObservedCaches } from '../../manager/observed-caches.ts';
import { declarationOf } from '../../writing/declaration.ts';
import {
  type AnyType,
  type ClusterAccess,
  type ControllerDefinition,
  type OperatorDefinition,
  OWN_CLUSTER,
} from '../definition.ts';
import type { CacheChoice } from '../settings.ts';
import { clusterOf, isRemote, isWatched, selectorOf } from './declared-kinds.ts';
import { byOwnerLabel, OWNER_INDEX } from './remote-children.ts';

/** One cluster that an operator works on. */
export interface ClusterScope {
  readonly name: string;
  /** Writes only while this process leads. */
  readonly client: Client;
  /** Writes whoever leads. */
  readonly unfenced: Client;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Those that the operator works in; all unless given. */
  readonly namespaces: readonly string[] | undefined;
  /** The cache of a kind that was planned for. */
  cache<T extends KubernetesObject>(type: ResourceType<T>, choice: CacheChoice<KubernetesObject>): ObjectCache<T>;
}

interface ClusterScopeOptions {
  readonly name: string;
  readonly client: Client;
  /** The same as `client` unless given. */
  readonly unfenced?: Client;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly caches: Caches;
  readonly needs: readonly CacheNeed[];
  /** All unless given. */
  readonly namespaces: readonly string[] | undefined;
}

export function openCluster(options: ClusterScopeOptions): ClusterScope {
  const { name, client, unfenced = client, events, caches, needs, namespaces } = options;
  const made = needs
    .filter(({ cluster }) => cluster === name)
    .map((need) => ({ need, cache: makeCache(caches, need, namespaces) }));
  return {
    name,
    client,
    unfenced,
    events,
    namespaces,
    cache<T extends KubernetesObject>(type: ResourceType<T>, choice: CacheChoice<KubernetesObject>) {
      const wanted = needOf(name, type as unknown as AnyType, choice);
      const found = made.find(({ need }) => isSameNeed(need, wanted));
      if (found) return found.cache as unknown as ObjectCache<T>;
      throw new RuntimeError('KUR_RUNTIME_NOT_DECLARED', `no controller looks at ${type.kind}${inCluster(name)}`);
    },
  };
}

export function inCluster(name: string): string {
  return name === OWN_CLUSTER ? '' : ` in cluster ${name}`;
}

function makeCache(caches: Caches, need: CacheNeed, namespaces: readonly string[] | undefined) {
  const { type, labelSelector, fieldSelector, metadataOnly, transform, indexes } = need;
  const options: CacheOptions<KubernetesObject> = {
    metadataOnly,
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(transform ? { transform } : {}),
    ...(Object.keys(indexes).length > 0 ? { indexes } : {}),
  };
  if (!type.namespaced || !namespaces) return caches.of(type, options);
  return scopedCache(new Map(namespaces.map((namespace) => [namespace, caches.of(type, { ...options, namespace })])));
}

interface ClustersOptions {
  readonly name: string;
  readonly needs: readonly CacheNeed[];
  readonly namespaces: readonly string[] | undefined;
  /** Lets a client write only while this process may. */
  fenced(client: Client): Client;
}

/** The clusters by name, run by a manager; the operator's own is among them. */
export async function openClusters(
  definition: OperatorDefinition,
  manager: Manager,
  { name, needs, namespaces, fenced }: ClustersOptions,
): Promise<Map<string, ClusterScope>> {
  const open = (name: string, client: Client, events: EventRecorder, caches: Caches) =>
    openCluster({ name, client: fenced(client), unfenced: client, events, caches, needs, namespaces });
  const own = open(OWN_CLUSTER, manager.client, manager.events, manager.caches);
  const clusters = new Map([[OWN_CLUSTER, own]]);
  const { logger } = manager;
  for (const [cluster, access] of definition.clusters) {
    const { client, close } = await reach(access);
    const events = createEventRecorder({
      client,
      reportingController: name,
      onTrouble: (what, error) => logger.warn(error === undefined ? { cluster } : { cluster, error }, what),
    });
    const caches = new ObservedCaches({
      client,
      clock: systemClock,
      failsWithoutKind: false,
      // Without `ready`: a cluster that can't be reached must not keep the others waiting.
      onNew: ({ name, run }) => manager.add({ name: `${name} in ${cluster}`, run }),
      onTrouble: (kind, error) => logger.warn({ cluster, kind, error }, 'a watch was broken off: it begins again'),
      onFailure: (error) => logger.error({ cluster, error, remedy: error.remedy }, 'a cache goes on with what it can'),
    });
    manager.add({
      name: `cluster ${cluster}`,
      async run({ stop }) {
        await fired(stop);
        await events.stop();
        await close();
      },
    });
    clusters.set(cluster, open(cluster, client, events, caches));
  }
  return clusters;
}

interface Reached {
  readonly client: Client;
  close(): Promise<void>;
}

/** What was opened here is closed here. */
export async function reach(access: ClusterAccess): Promise<Reached> {
  if (typeof access !== 'string' && 'close' in access) return { client: access, close: async () => {} };
  const client = createClient(typeof access === 'string' ? await loadKubeconfig(access) : access);
  return { client, close: () => client.close() };
}

/**
 * Several namespaces of one kind, read as if they were one cache.
 *
 * @param byNamespace One cache for each namespace; at least one.
 */
export function scopedCache<T extends KubernetesObject>(
  byNamespace: ReadonlyMap<string, ObjectCache<T>>,
): ObjectCache<T> {
  const caches = [...byNamespace.values()];
  const [first] = caches;
  if (!first) throw new Error('a cache of no namespace at all');
  if (caches.length === 1) return first;
  const at = (namespace: string | undefined) => byNamespace.get(namespace ?? '');
  return {
    type: first.type,
    get synced() {
      return caches.every(({ synced }) => synced);
    },
    async untilSynced(signal) {
      await Promise.all(caches.map((cache) => cache.untilSynced(signal)));
    },
    get: (reference) => at(reference.namespace)?.get(reference),
    list(query = {}) {
      if (query.namespace === undefined) return caches.flatMap((cache) => cache.list(query));
      return at(query.namespace)?.list(query) ?? [];
    },
    byIndex: (index, value) => caches.flatMap((cache) => cache.byIndex(index, value)),
    ownedBy: (uid, skip) => caches.flatMap((cache) => cache.ownedBy(uid, skip)),
    listen(listener) {
      const stops = caches.map((cache) => cache.listen(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    observe: (written) => at(written.metadata.namespace)?.observe(written),
    covers: (reference) => at(reference.namespace)?.covers?.(reference) ?? false,
  };
}

/** @throws Where no such cluster was declared. */
export function clusterScope(clusters: ReadonlyMap<string, ClusterScope>, name: string): ClusterScope {
  const found = clusters.get(name);
  if (found) return found;
  const names = [...clusters.keys()].filter((one) => one !== OWN_CLUSTER).join(', ') || 'none';
  throw new RuntimeError('KUR_RUNTIME_INVALID_OPTION', `the operator has no cluster "${name}"`, {
    remedy: `declare it: operator().cluster('${name}', kubeconfig); declared are: ${names}`,
  });
}

/** The same clusters for what runs in every replica. */
export function unfencedClusters(clusters: ReadonlyMap<string, ClusterScope>): ReadonlyMap<string, ClusterScope> {
  return new Map(Array.from(clusters, ([name, cluster]) => [name, { ...cluster, client: cluster.unfenced }]));
}

/** A cache that some controllers need. */
export interface CacheNeed {
  readonly cluster: string;
  readonly type: AnyType;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly metadataOnly: boolean;
  readonly transform: CacheChoice<KubernetesObject>['transform'];
  readonly indexes: Record<string, IndexFunction<KubernetesObject>>;
}

/** The caches that these controllers need, each once. */
export function cachePlan(controllers: readonly ControllerDefinition[]): CacheNeed[] {
  const needs: CacheNeed[] = [];
  const need = (cluster: string, type: AnyType, choice: CacheChoice<KubernetesObject>): CacheNeed => {
    const wanted = needOf(cluster, type, choice);
    const known = needs.find((one) => isSameNeed(one, wanted));
    if (!known) needs.push(wanted);
    return known ?? wanted;
  };
  for (const controller of controllers.filter(isWatched)) {
    const { type, settings, kinds } = controller;
    addIndexes(need(settings.cluster ?? OWN_CLUSTER, type, settings), controller);
    for (const kind of kinds) {
      const needed = need(clusterOf(kind), kind.type, kind.settings);
      addIndexes(needed, controller);
      if (isRemote(controller, kind)) needed.indexes[OWNER_INDEX] = byOwnerLabel;
    }
  }
  return needs;
}

function needOf(cluster: string, type: AnyType, choice: CacheChoice<KubernetesObject>): CacheNeed {
  const { labels, fields, metadataOnly = false, transform } = choice;
  const selectors = { labelSelector: selectorOf(labels), fieldSelector: selectorOf(fields) };
  return { cluster, type, ...selectors, metadataOnly, transform, indexes: {} };
}

function isSameNeed(one: CacheNeed, other: CacheNeed): boolean {
  const chosen = ['cluster', 'labelSelector', 'fieldSelector', 'metadataOnly', 'transform'] as const;
  return declarationOf(one.type) === declarationOf(other.type) && chosen.every((name) => one[name] === other[name]);
}

/** Two controllers may call their indexes by the same name. */
export function indexName(controller: ControllerDefinition, name: string): string {
  return `${controller.name}/${name}`;
}

function addIndexes({ type, indexes }: CacheNeed, controller: ControllerDefinition): void {
  for (const { type: indexed, name, values } of controller.indexes) {
    if (declarationOf(indexed) === declarationOf(type)) indexes[indexName(controller, name)] = values;
  }
}
