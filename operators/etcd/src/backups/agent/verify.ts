/** Compares what a scratch member made of a snapshot with what the cluster says, or what it said when it was taken. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackupManifest } from '../manifest.ts';
import { Refusal } from '../refusal.ts';
import { LONGEST_REPORT, type Report, SCRATCH, type Task } from '../task.ts';
import { manifestOf } from './fetch.ts';
import { hashOf, type KeysHash, revisionOf } from './gateway.ts';
import { openPlace } from './store.ts';
import { readTaken, settle, type Taken } from './take.ts';

/** How long a scratch member may take to start; a large database is read first. */
const START = 300_000;

export async function verify({ storage, key, subject, remove }: Extract<Task, { do: 'verify' }>): Promise<Report> {
  const revision = await untilUp();
  const taken = await readTaken();
  const proven = await compare(revision, taken, subject.witness);
  const place = await openPlace(storage);
  await using _ = place.store;
  return await settle(place, key, subject, taken, { ...proven, verifiedAt: new Date().toISOString() }, remove);
}

/** Hashes of the same revision are the same only where as much was compacted: it was asked before, and is asked again. */
async function compare(revision: number, { before }: Taken, witness: string): Promise<KeysHash> {
  const restored = await hashOf(SCRATCH, revision);
  if (revision < before.revision) {
    throw new Error(
      `the snapshot ends at revision ${revision}, and the cluster was at ${before.revision} before it was taken`,
    );
  }
  const live = await hashOf(witness, revision).catch(() => undefined);
  if (live?.compactRevision === restored.compactRevision) {
    expectSame(restored, live);
    return restored;
  }
  const restoredBefore = await hashOf(SCRATCH, before.revision);
  if (restoredBefore.compactRevision !== before.compactRevision) {
    throw new Error('the cluster has compacted twice since the snapshot was begun: nothing is left to compare with');
  }
  expectSame(restoredBefore, before);
  return restored;
}

function expectSame(restored: KeysHash, live: KeysHash): void {
  if (restored.hash === live.hash) return;
  throw new Error(
    `restored, the keys of revision ${live.revision} have the hash ${restored.hash}; in the cluster ${live.hash}`,
  );
}

export async function check({ storage, key }: Extract<Task, { do: 'check' }>): Promise<Report> {
  const place = await openPlace(storage);
  await using _ = place.store;
  const known = await manifestOf(place, key);
  const revision = await untilUp();
  const restored = await hashOf(SCRATCH, known.revision);
  // One that was never restored is known to have this revision, and may have later ones; much of it may be compacted since.
  const isComparable = restored.compactRevision === known.compactRevision;
  const isOf = known.verifiedAt ? revision === known.revision && isComparable : revision >= known.revision;
  if (!isOf || (isComparable && restored.hash !== known.hash)) {
    throw new Refusal(
      `restored, it is at revision ${revision} with the hash ${restored.hash}; written down are ${known.revision} and ${known.hash}`,
    );
  }
  return { ok: true, backup: summaryOf(known) };
}

/** What is written beside a snapshot. The cluster's spec comes with it, if Kubernetes keeps that many words of a container. */
export async function read({ storage, key }: Extract<Task, { do: 'read' }>): Promise<Report> {
  const place = await openPlace(storage);
  await using _ = place.store;
  const { cluster, ...known } = await manifestOf(place, key);
  const whole: Report = { ok: true, backup: summaryOf(known), spec: cluster.spec };
  return Buffer.byteLength(JSON.stringify(whole)) < LONGEST_REPORT ? whole : { ok: true, backup: summaryOf(known) };
}

function summaryOf(known: Omit<BackupManifest, 'cluster' | 'writer'>) {
  const { key, size, sha256, hash, revision, takenAt, etcdVersion } = known;
  return { key, size, sha256, hash, revision, takenAt, etcdVersion };
}

/** The revision that the scratch member has come up with. */
async function untilUp(): Promise<number> {
  const deadline = Date.now() + START;
  for (;;) {
    try {
      const revision = await revisionOf(SCRATCH);
      if (revision > 0) return revision;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(100);
  }
}
