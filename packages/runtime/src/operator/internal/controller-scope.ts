/** What one controller works with: its clusters, how it looks, how it writes, and as whom. */
import type { KubernetesObject } from '@kurator/client';
import type { ObjectCache } from '../../cache/object-cache.ts';
import { type Clock, systemClock } from '../../clock.ts';
import { groupOf } from '../../controller/mapping.ts';
import type { Logger } from '../../insight/late-logger.ts';
import type { Schedule } from '../../schedules/schedule.ts';
import { createWriter, type Writer } from '../../writing/writer.ts';
import { type ControllerDefinition, OWN_CLUSTER, type WatchedKind } from '../definition.ts';
import { type ClusterScope, clusterScope } from './cluster-scope.ts';
import { clusterOf, holdsData, isRemote, readyConditionOf } from './declared-kinds.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { OwnWrites } from './own-writes.ts';
import { ownedByLabel } from './remote-children.ts';

export interface ControllerScope {
  readonly definition: ControllerDefinition;
  readonly clusters: ReadonlyMap<string, ClusterScope>;
  /** Where the reconciled objects are. */
  readonly primary: ClusterScope;
  readonly cache: ObjectCache<KubernetesObject>;
  readonly fieldManager: string;
  readonly finalizer: string;
  /** The condition that is kept for the author; undefined for none. */
  readonly readyCondition: string | undefined;
  readonly lookups: Lookups;
  readonly ownWrites: OwnWrites;
  readonly logger: Logger;
  readonly dryRun: boolean;
  readonly clock: Clock;
  /** What runs for each object beside the reconciles; filled by whoever starts them. */
  readonly schedules: Schedule[];
  /** The writer of a cluster. */
  writer(cluster: string): Writer;
  /** Kinds of children by owner reference, in the objects' own cluster, of which those go that a whole set no longer has. */
  readonly pruned: readonly ObjectCache<KubernetesObject>[];
  /** Kinds of children by label, with where they are, and whether those go that a whole set no longer has. */
  readonly remote: readonly {
    readonly cluster: string;
    readonly cache: ObjectCache<KubernetesObject>;
    readonly prune: boolean;
  }[];
}

export interface ControllerScopeOptions {
  readonly operator: string;
  readonly clusters: ReadonlyMap<string, ClusterScope>;
  readonly logger: Logger;
  readonly dryRun: boolean;
  readonly clock?: Clock | undefined;
}

export function openControllerScope(
  definition: ControllerDefinition,
  options: ControllerScopeOptions,
): ControllerScope {
  const { operator, clusters, logger, dryRun, clock = systemClock } = options;
  const { type, settings, kinds } = definition;
  const primary = clusterScope(clusters, settings.cluster ?? OWN_CLUSTER);
  const cache = primary.cache(type, settings);
  const ownWrites = new OwnWrites();
  const fieldManager = settings.name === undefined ? operator : `${operator}-${settings.name}`;
  const watched = kinds.map((kind) => {
    const cluster = clusterOf(kind);
    return { kind, cluster, cache: clusterScope(clusters, cluster).cache(kind.type, kind.settings) };
  });
  const owned = watched.filter(({ kind }) => kind.role === 'own');
  const writers = new Map(
    Array.from(clusters.values(), (cluster) => {
      const caches = watched.filter((one) => one.cluster === cluster.name).map((one) => one.cache);
      const isPrimary = cluster === primary;
      const writer = createWriter({
        client: isPrimary ? ownWrites.client(cluster.client) : cluster.client,
        fieldManager,
        caches: isPrimary ? [...caches, cache] : caches,
        clock,
      });
      return [cluster.name, writer];
    }),
  );
  return {
    definition,
    clusters,
    primary,
    cache,
    fieldManager,
    finalizer: `${groupOf(type.apiVersion) || 'kurator.dev'}/${fieldManager}`,
    readyCondition: readyConditionOf(definition),
    lookups: createLookups(definition, clusters),
    ownWrites,
    logger: logger.child({ controller: definition.name, kind: type.kind }),
    dryRun,
    clock,
    schedules: [],
    writer(cluster) {
      clusterScope(clusters, cluster);
      return writers.get(cluster) as Writer;
    },
    pruned: owned.filter(({ kind }) => !isRemote(definition, kind) && isPruned(kind)).map((one) => one.cache),
    remote: owned
      .filter(({ kind }) => isRemote(definition, kind))
      .map(({ kind, cluster, cache }) => ({ cluster, cache: ownedByLabel(cache), prune: isPruned(kind) })),
  };
}

function isPruned({ type, settings }: WatchedKind): boolean {
  return settings.prune ?? !holdsData(type);
}
