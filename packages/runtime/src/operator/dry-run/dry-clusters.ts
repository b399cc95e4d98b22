/** The clusters of an operator, for looking only. */
import type { Client, KubernetesObject, ResourceType } from '@kurator/client';
import { type CacheOptions, Caches, type RunnableCache } from '../../cache/cache.ts';
import { type OperatorDefinition, OWN_CLUSTER } from '../definition.ts';
import { type CacheNeed, type ClusterScope, cachePlan, openCluster, reach } from '../internal/cluster-scope.ts';
import { dryRunClient } from './dry-run-client.ts';
import type { Findings } from './findings.ts';

export interface DryClusters {
  readonly clusters: ReadonlyMap<string, ClusterScope>;
  /** Fills the caches; rejects when a cluster doesn't know a kind, or the signal fires. */
  synced(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface DryClustersOptions {
  readonly client: Client;
  readonly namespaces: readonly string[] | undefined;
  readonly findings: Findings;
}

export async function openDryClusters(
  { clusters, controllers }: OperatorDefinition,
  { client, namespaces, findings }: DryClustersOptions,
): Promise<DryClusters> {
  const needs = cachePlan(controllers);
  const reached = new Map([[OWN_CLUSTER, { client, close: async () => {} }]]);
  for (const [name, access] of clusters) reached.set(name, await reach(access));
  const opened = Array.from(reached, ([name, { client }]) => {
    const dry = dryRunClient(client, (write) => findings.write(name, write));
    const caches = new FrozenCaches(dry);
    const events = { record: findings.event.bind(findings) };
    return { name, client, caches, scope: openCluster({ name, client: dry, events, caches, needs, namespaces }) };
  });
  return {
    clusters: new Map(opened.map(({ name, scope }) => [name, scope])),
    async synced(signal) {
      await Promise.all(opened.map(({ name, client, caches }) => fill(name, client, caches, needs, signal)));
    },
    async close() {
      for (const { close } of reached.values()) await close();
    },
  };
}

async function fill(
  name: string,
  client: Client,
  caches: Caches,
  needs: readonly CacheNeed[],
  signal: AbortSignal,
): Promise<void> {
  const kinds = needs.filter(({ cluster }) => cluster === name);
  // A cache would wait for a kind that isn't there; here nobody will install it.
  await Promise.all(kinds.map(({ type }) => client.discover(type.apiVersion, type.kind, { signal })));
  for (const cache of caches.all()) void cache.run(signal);
  await Promise.all(caches.all().map((cache) => cache.untilSynced(signal)));
}

/** Caches that take in nothing but what the server has: the answers of a dry run are not true. */
class FrozenCaches extends Caches {
  override of<T extends KubernetesObject>(type: ResourceType<T>, options?: CacheOptions<T>): RunnableCache<T> {
    return Object.create(super.of(type, options), { observe: { value() {} } });
  }
}
