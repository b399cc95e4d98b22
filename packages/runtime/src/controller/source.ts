/** Where a controller's work comes from: caches, each with which changes count and what they concern. */
import type { KubernetesObject } from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { MapFunction } from './mapping.ts';
import type { Predicate } from './predicate.ts';

/** Options of {@link owned} and {@link watched}. */
export interface SourceOptions<T extends KubernetesObject> {
  /** Changes count only if all of these say so; all changes count unless given. */
  predicates?: readonly Predicate<T>[];
}

/** A kind whose objects belong to the reconciled ones. Made by {@link owned}. */
export interface OwnedSource {
  readonly cache: ObjectCache<KubernetesObject>;
  /** Which changes count. */
  readonly predicate: Predicate;
}

/** A kind whose changes concern the reconciled ones. Made by {@link watched}. */
export interface WatchedSource extends OwnedSource {
  readonly map: MapFunction<KubernetesObject>;
}

/** Children, of which only some changes count. Without predicates, the cache alone will do. */
export function owned<T extends KubernetesObject>(
  cache: ObjectCache<T>,
  { predicates = [] }: SourceOptions<T> = {},
): OwnedSource {
  return { cache, predicate: everyOf(predicates) as Predicate };
}

/**
 * Objects that are no children but matter too, such as a Secret that is named in the spec. `map` says whom a change
 * concerns; after an update it is asked for the object as it was, too, so that those who lost something hear of it.
 */
export function watched<T extends KubernetesObject>(
  cache: ObjectCache<T>,
  map: MapFunction<T>,
  { predicates = [] }: SourceOptions<T> = {},
): WatchedSource {
  return { cache, map: map as MapFunction<KubernetesObject>, predicate: everyOf(predicates) as Predicate };
}

export function everyOf<T extends KubernetesObject>(predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}
