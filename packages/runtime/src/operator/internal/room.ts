/** What one controller works with: its sites, how it looks, how it writes, and as whom. */
import type { Client, KubernetesObject } from '@kurator/client';
import type { ObjectCache } from '../../cache/object-cache.ts';
import { type Clock, systemClock } from '../../clock.ts';
import { groupOf } from '../../controller/mapping.ts';
import type { Logger } from '../../insight/late-logger.ts';
import type { Schedule } from '../../schedules/schedule.ts';
import { createWriter, type Writer } from '../../writing/writer.ts';
import { type ControllerDefinition, HOME, type WatchedKind } from '../definition.ts';
import { clusterOf, isElsewhere, selectorOf } from './cache-plan.ts';
import { childrenPolicy } from './children-policy.ts';
import { ownedByLabel } from './elsewhere.ts';
import { holdsData } from './holds-data.ts';
import { createLookups, type Lookups, siteOf } from './lookups.ts';
import { OwnWrites } from './own-writes.ts';
import type { Site } from './site.ts';

export interface Room {
  readonly definition: ControllerDefinition;
  readonly sites: ReadonlyMap<string, Site>;
  /** Where the reconciled objects are. */
  readonly home: Site;
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
  /** The writer of a site. */
  writer(cluster: string): Writer;
  /** Kinds of children by owner reference, at home, of which those go that a whole set no longer has. */
  readonly prunes: readonly ObjectCache<KubernetesObject>[];
  /** Kinds of children by label, with where they are, and whether those go that a whole set no longer has. */
  readonly elsewhere: readonly {
    readonly cluster: string;
    readonly cache: ObjectCache<KubernetesObject>;
    readonly prune: boolean;
  }[];
}

export interface RoomOptions {
  readonly operator: string;
  readonly sites: ReadonlyMap<string, Site>;
  readonly logger: Logger;
  readonly dryRun: boolean;
  readonly clock?: Clock | undefined;
}

export function openRoom(definition: ControllerDefinition, options: RoomOptions): Room {
  const { operator, sites, logger, dryRun, clock = systemClock } = options;
  const { type, settings, kinds } = definition;
  const home = siteOf(sites, settings.cluster ?? HOME);
  const cache = home.cache(type, selectorOf(settings.labels));
  const ownWrites = new OwnWrites();
  const fieldManager = settings.name === undefined ? operator : `${operator}-${settings.name}`;
  const watched = kinds.map((kind) => {
    const cluster = clusterOf(kind);
    return { kind, cluster, cache: siteOf(sites, cluster).cache(kind.type, selectorOf(kind.settings.labels)) };
  });
  const owned = watched.filter(({ kind }) => kind.role === 'own');
  const writers = new Map(
    Array.from(sites.values(), (site) => {
      const caches = watched.filter(({ cluster }) => cluster === site.name).map((one) => one.cache);
      const isHome = site === home;
      const writer = createWriter({
        client: isHome ? ownWrites.client(site.client) : site.client,
        fieldManager,
        caches: isHome ? [...caches, cache] : caches,
        clock,
      });
      return [site.name, writer];
    }),
  );
  return {
    definition,
    sites,
    home,
    cache,
    fieldManager,
    finalizer: `${groupOf(type.apiVersion) || 'kurator.dev'}/${fieldManager}`,
    readyCondition: readyConditionOf(definition),
    lookups: createLookups(definition, sites),
    ownWrites,
    logger: logger.child({ controller: definition.name, kind: type.kind }),
    dryRun,
    clock,
    schedules: [],
    writer(cluster) {
      siteOf(sites, cluster);
      return writers.get(cluster) as Writer;
    },
    prunes: owned.filter(({ kind }) => !isElsewhere(definition, kind) && isPruned(kind)).map((one) => one.cache),
    elsewhere: owned
      .filter(({ kind }) => isElsewhere(definition, kind))
      .map(({ kind, cluster, cache }) => ({ cluster, cache: ownedByLabel(cache), prune: isPruned(kind) })),
  };
}

function isPruned({ type, settings }: WatchedKind): boolean {
  return settings.prune ?? !holdsData(type);
}

/** The client of one of a controller's clusters. */
export function roomClient({ sites }: Room, cluster: string): Client {
  return siteOf(sites, cluster).client;
}

/** Whether an object must not go before something was done. */
export function needsFinalizer(controller: ControllerDefinition): boolean {
  const { cleanup, kinds } = controller;
  const hasElsewhere = kinds.some((kind) => isElsewhere(controller, kind));
  return cleanup !== undefined || (hasElsewhere && childrenPolicy(controller) !== 'orphan');
}

/** The status of a kind that is not the author's own isn't his to write. */
export function readyConditionOf({ type, settings }: ControllerDefinition): string | undefined {
  const { readyCondition = 'definition' in type ? 'Ready' : false } = settings;
  return readyCondition || undefined;
}
