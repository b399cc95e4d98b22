import type { ObjectKey } from '../object-key.ts';

/**
 * The shard of a key: from 0 to `count` - 1, spread evenly, the same on every machine and in every version: replicas of
 * different versions share a group during an update. FNV-1a, mixed once more, since names like `web-1` and `web-2` are
 * alike in all but their end.
 */
export function shardOf(key: ObjectKey, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}
