/** Which changes are worth a reconcile. */
import type { KubernetesObject } from '@kurator/client';
import type { CacheChange } from '../cache/object-cache.ts';

/** True for a change that matters. Must be quick: it sees every change. */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (change: CacheChange<T>) => boolean;

/**
 * The spec changed; for kinds without a generation, anything. What happens to the status doesn't count. Additions,
 * deletions and the steps of a deletion (it was asked for, a finalizer was removed) always count, since a clean-up may
 * wait for them.
 */
export const generationChanged: Predicate = whenUpdated((now, before) => {
  const { generation, deletionTimestamp, finalizers } = now.metadata;
  if (generation === undefined || generation !== before.metadata.generation) return true;
  if (deletionTimestamp !== before.metadata.deletionTimestamp) return true;
  return deletionTimestamp !== undefined && finalizers?.length !== before.metadata.finalizers?.length;
});

/** A label was set, changed or removed. Additions and deletions always count. */
export const labelsChanged: Predicate = whenUpdated(
  (now, before) => !sameText(now.metadata.labels, before.metadata.labels),
);

/** An annotation was set, changed or removed. Additions and deletions always count. */
export const annotationsChanged: Predicate = whenUpdated(
  (now, before) => !sameText(now.metadata.annotations, before.metadata.annotations),
);

/** At least one of them holds. */
export function anyOf<T extends KubernetesObject>(...predicates: Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** All of them hold. */
export function allOf<T extends KubernetesObject>(...predicates: Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/** It does not hold. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}

function whenUpdated(changed: (now: KubernetesObject, before: KubernetesObject) => boolean): Predicate {
  return (change) => {
    if (change.type !== 'updated') return true;
    const before = change.previous();
    return before === undefined || changed(change.object(), before);
  };
}

type Texts = Readonly<Record<string, string>>;

function sameText(a: Texts = {}, b: Texts = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
