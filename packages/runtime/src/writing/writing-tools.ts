import type { Client, KubernetesObject, ObjectReference, ResourceType } from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { Clock } from '../clock.ts';
import type { RecentUids } from './recent-uids.ts';

/** What every kind of write works with. */
export interface WritingTools {
  readonly client: Client;
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly counts: { sent: number; spared: number };
  /** The uids of what we deleted: caches hear of it only from their watch. */
  readonly deleted: RecentUids;
  /** The versions of what we let go of, as they were then: in a dry run caches never hear of it. */
  readonly released: RecentUids;
  cacheOf<T extends KubernetesObject>(type: ResourceType<T>): ObjectCache<T> | undefined;
  /** Puts the answer to a write into the cache, counts it, and gives it back. */
  observed<T extends KubernetesObject>(type: ResourceType<T>, written: T): T;
  /** Reads an object from the server into its cache; undefined if it isn't there. */
  read<T extends KubernetesObject>(
    type: ResourceType<T>,
    reference: ObjectReference,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined>;
}
