/** Compares what a scratch member made of a snapshot with what the cluster says, or what it said when it was taken. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackupManifest } from '../manifest.ts';
import { Refusal } from '../refusal.ts';
import { LONGEST_REPORT, type Report, SCRATCH, type Task } from '../task.ts';
import { hashOf, revisionOf } from './etcd.ts';
import { manifestOf } from './fetch.ts';
import { prove } from './proof.ts';
import { openPlace } from './store.ts';
import { readTaken, settle } from './take.ts';

/** How long a scratch member may take to start; a large database is read first. */
const START = 300_000;

export async function verify({ storage, key, subject, remove }: Extract<Task, { do: 'verify' }>): Promise<Report> {
  const revision = await untilUp();
  const taken = await readTaken();
  const proven = await prove(revision, taken.before, {
    scratch: async (revision) => await hashOf(SCRATCH, revision),
    live: async (revision) => await hashOf(subject.witness, revision),
  });
  const place = await openPlace(storage);
  await using _ = place.store;
  return await settle(place, key, subject, taken, { ...proven, verifiedAt: new Date().toISOString() }, remove);
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
