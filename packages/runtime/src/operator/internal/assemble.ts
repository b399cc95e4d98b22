/** Makes the controllers of an operator from what was declared. */
import type { KubernetesObject } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import { type Controller, createController } from '../../controller/controller.ts';
import type { ControllerObserver } from '../../controller/observer.ts';
import type { ShardGate } from '../../controller/shard-gate.ts';
import { owned, type WatchedSource, watched } from '../../controller/source.ts';
import type { WatchedKind } from '../definition.ts';
import { clusterOf, isElsewhere, selectorOf } from './cache-plan.ts';
import { ownerByAnnotation } from './elsewhere.ts';
import { referencesOf, siteOf } from './lookups.ts';
import { reconciling } from './reconciling.ts';
import type { Room } from './room.ts';

export interface AssembleOptions {
  readonly observers: readonly ControllerObserver[];
  readonly clock: Clock | undefined;
  readonly shard: ShardGate | undefined;
}

/** A controller that does what was declared; nothing happens before it is started. */
export function assemble(room: Room, { observers, clock, shard }: AssembleOptions): Controller {
  const { definition, cache, ownWrites } = room;
  const { name, settings, kinds } = definition;
  const { concurrency, resync, timeout, backoff, retryRate, predicate } = settings;
  const given = { concurrency, resync, timeout, backoff, retryRate };
  const own = kinds.filter((kind) => kind.role === 'own' && !isElsewhere(definition, kind));
  const controller = createController({
    name,
    for: cache,
    predicates: predicate ? [ownWrites.counts, predicate] : [ownWrites.counts],
    owns: own.map((kind) => owned(cacheOf(room, kind), predicatesOf(kind))),
    watches: kinds.flatMap((kind) => watchedSource(room, kind) ?? []),
    observers,
    ...(clock ? { clock } : {}),
    ...(shard ? { shard } : {}),
    ...defined(given),
    ...reconciling(room),
  });
  ownWrites.onForeign = (reference) => controller.enqueue(reference);
  return controller;
}

/** Undefined for kinds whose changes cause nothing, or whose owner Kubernetes tells. */
function watchedSource(room: Room, kind: WatchedKind): WatchedSource | undefined {
  const { definition, lookups } = room;
  const { map } = kind;
  if (isElsewhere(definition, kind)) {
    return watched(cacheOf(room, kind), ownerByAnnotation(definition.type), predicatesOf(kind));
  }
  if (!map) return undefined;
  const references = (changed: KubernetesObject) => {
    const { namespace } = changed.metadata;
    return referencesOf(map(changed, lookups.from(namespace)), definition.type, namespace);
  };
  return watched(cacheOf(room, kind), references, predicatesOf(kind));
}

function cacheOf({ sites }: Room, kind: WatchedKind) {
  return siteOf(sites, clusterOf(kind)).cache(kind.type, selectorOf(kind.settings.labels));
}

function predicatesOf({ settings: { predicate } }: WatchedKind) {
  return predicate ? { predicates: [predicate] } : {};
}

function defined<O extends object>(options: O): Partial<{ [K in keyof O]: Exclude<O[K], undefined> }> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
