/**
 * How many promises are enough. In any set k acknowledge a commit, k let a primary run on, and names - k + 1 freeze: whichever k and
 * whichever names - k + 1 there are, one is in both.
 */
import type { SyncSet } from './record.ts';

/** Whether those who are frozen leave too few to acknowledge anything by any of the sets. Without names nobody can promise that. */
export const coversFreeze = (sets: readonly SyncSet[], frozen: ReadonlySet<string>): boolean =>
  sets.every(({ names, k }) => names.filter((name) => frozen.has(name)).length >= names.length - k + 1);

/**
 * When the requests were sent by which a primary may run on; undefined: too few were granted. In every set, for it can't know which of
 * them the record still has. A set without names needs none: nobody can be promoted past it but by the primary's own word.
 */
export function grantedSince(sets: readonly SyncSet[], grants: ReadonlyMap<string, number>): number | undefined {
  if (sets.length === 0) return undefined;
  let since = Number.POSITIVE_INFINITY;
  for (const { names, k } of sets) {
    const sent = names.flatMap((name) => grants.get(name) ?? []).toSorted((a, b) => b - a);
    const last = k === 0 ? Number.POSITIVE_INFINITY : sent[k - 1];
    if (last === undefined) return undefined;
    since = Math.min(since, last);
  }
  return since;
}
