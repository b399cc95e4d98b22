/** Turns the changes of caches into keys in a queue. */
import type { KubernetesObject, ObjectReference } from '@kurator/client';
import type { CacheChange, ObjectCache } from '../../cache/object-cache.ts';
import { keyFor, type ObjectKey } from '../../object-key.ts';
import { Priority } from '../../queue/priority.ts';
import type { WorkQueue } from '../../queue/work-queue.ts';
import type { MapFunction } from '../mapping.ts';
import type { Predicate } from '../predicate.ts';
import type { WatchedSource } from '../source.ts';

interface Surroundings {
  queue: WorkQueue;
  /** Whether what is gone is worked on too. */
  wantsDeleted: boolean;
  /** Whether a key is this replica's. */
  accepts(key: ObjectKey): boolean;
  /** Whether keys are taken out of the queue yet. */
  working(): boolean;
  onError(kind: string, error: unknown): void;
}

export interface IntakeOptions<T extends KubernetesObject> extends Surroundings {
  primary: ObjectCache<T>;
  predicate: Predicate<T>;
  others: readonly WatchedSource[];
}

/** Listens from now on, first to all there is already; returns how to stop. */
export function openIntake<T extends KubernetesObject>(options: IntakeOptions<T>): () => void {
  const stops = [
    options.primary.listen(primaryListener(options)),
    ...options.others.map((source) => source.cache.listen(otherListener(options, source))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function primaryListener<T extends KubernetesObject>(options: IntakeOptions<T>): (change: CacheChange<T>) => void {
  const { queue, primary, predicate, wantsDeleted, accepts, onError } = options;
  return (change) => {
    // Nothing is left to be done for it, and nothing to be remembered of it.
    if (change.type === 'deleted' && !wantsDeleted) {
      queue.remove(change.key);
    } else if (accepts(change.key) && matters(() => predicate(change), primary.type.kind, onError)) {
      queue.add(change.key, priorityOf(change));
    }
  };
}

function otherListener(
  { queue, wantsDeleted, accepts, working, onError }: Surroundings,
  { cache, predicate, map }: WatchedSource,
): (change: CacheChange<KubernetesObject>) => void {
  return (change) => {
    // Before the work begins, everything of the reconciled kind is in the queue anyway, unless it is gone.
    if (change.initial && !working() && !wantsDeleted) return;
    if (!matters(() => predicate(change), cache.type.kind, onError)) return;
    const priority = priorityOf(change);
    try {
      for (const key of concerned(change, map).map(keyFor)) if (accepts(key)) queue.add(key, priority);
    } catch (error) {
      onError(cache.type.kind, error);
    }
  };
}

/** A change that can't be judged is taken for one that matters: a reconcile too many harms nobody. */
function matters(predicate: () => boolean, kind: string, onError: Surroundings['onError']): boolean {
  try {
    return predicate();
  } catch (error) {
    onError(kind, error);
    return true;
  }
}

function concerned<T extends KubernetesObject>(change: CacheChange<T>, map: MapFunction<T>): ObjectReference[] {
  const now = listOf(map(change.object()));
  if (change.type !== 'updated') return now;
  const before = change.previous();
  return before ? now.concat(listOf(map(before))) : now;
}

function listOf(found: ReturnType<MapFunction<KubernetesObject>>): ObjectReference[] {
  if (!found) return [];
  return Array.isArray(found) ? found : [found as ObjectReference];
}

function priorityOf({ initial, type }: Pick<CacheChange<KubernetesObject>, 'initial' | 'type'>): Priority {
  return initial && type === 'added' ? Priority.resync : Priority.change;
}
