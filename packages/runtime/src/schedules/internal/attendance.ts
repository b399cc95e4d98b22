/** Which objects a schedule attends to: those that are there, match, are not being deleted, and are this replica's. */
import type { KubernetesObject } from '@kurator/client';
import type { CacheChange, ObjectCache } from '../../cache/object-cache.ts';
import type { ShardGate } from '../../controller/shard-gate.ts';
import type { ObjectKey } from '../../object-key.ts';

export interface AttendanceOptions<T extends KubernetesObject> {
  readonly cache: ObjectCache<T>;
  readonly when: ((object: T) => boolean) | undefined;
  readonly shard: ShardGate | undefined;
  /** It is to be attended to; it may have been before. */
  onPresent(change: CacheChange<T>): void;
  /** It is not to be attended to; it may not have been before. */
  onAbsent(key: ObjectKey, why: string): void;
  /** Like {@link ShardListener.onDraining}. */
  onDraining(has: (key: ObjectKey) => boolean, abort: AbortSignal): Promise<void>;
  /** `when` threw: the object is left as it was. */
  onError(error: unknown): void;
}

/** Begins to look, first at all there is; returns how to stop. */
export function attend<T extends KubernetesObject>(options: AttendanceOptions<T>): () => void {
  const { cache, shard, onDraining } = options;
  const look = (change: CacheChange<T>) => consider(change, options);
  const stops = [
    cache.listen(look),
    shard?.subscribe({
      // Listening tells of all there is.
      onGained: (has) => cache.listen((change) => has(change.key) && look(change))(),
      onDraining,
    }),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}

function consider<T extends KubernetesObject>(change: CacheChange<T>, options: AttendanceOptions<T>): void {
  const { key } = change;
  const { onPresent, onAbsent, onError } = options;
  try {
    const why = reasonAgainst(change, options);
    if (why) onAbsent(key, why);
    else onPresent(change);
  } catch (error) {
    onError(error);
  }
}

function reasonAgainst<T extends KubernetesObject>(
  change: CacheChange<T>,
  { when, shard }: AttendanceOptions<T>,
): string | undefined {
  if (change.type === 'deleted') return 'it was deleted';
  if (shard && !shard.hold(change.key)) return 'it is another replica’s';
  const object = change.object();
  if (object.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  return when && !when(object) ? 'it no longer matches' : undefined;
}
