/** Whether what was restored is what the cluster had. Asks two sides for hashes, and decides. */
import type { KeysHash } from './etcd.ts';

/** Both sides, by revision. */
export interface Sides {
  scratch(revision: number): Promise<KeysHash>;
  live(revision: number): Promise<KeysHash>;
}

/**
 * Hashes of a revision are the same only where as much was compacted. So the cluster is asked for that of the last revision in the
 * snapshot; and if it has compacted since, what it said before the snapshot decides, of a revision that must be in it.
 *
 * @param revision the last one that the scratch member has.
 * @param before of the cluster, right before the snapshot.
 * @throws If they differ, or if nothing is left to compare.
 */
export async function prove(revision: number, before: KeysHash, { scratch, live }: Sides): Promise<KeysHash> {
  if (revision < before.revision) {
    throw new Error(
      `the snapshot ends at revision ${revision}, and the cluster was at ${before.revision} before it was taken`,
    );
  }
  const restored = await scratch(revision);
  // A revision that is compacted has no hash any more.
  const now = await live(revision).catch(() => undefined);
  if (now?.compactRevision === restored.compactRevision) {
    expectSame(restored, now);
    return restored;
  }
  const restoredBefore = await scratch(before.revision);
  if (restoredBefore.compactRevision !== before.compactRevision) {
    throw new Error('the cluster has compacted twice since the snapshot was begun: nothing is left to compare with');
  }
  expectSame(restoredBefore, before);
  return restored;
}

function expectSame(restored: KeysHash, live: KeysHash): void {
  if (restored.hash === live.hash) return;
  throw new Error(
    `it can't be trusted: restored, the keys of revision ${live.revision} have the hash ${restored.hash}, and in the cluster ${live.hash}`,
  );
}
