/** Takes a snapshot: from a member into the storage, without a stop on the way. */
import { readFile, writeFile } from 'node:fs/promises';
import { type BackupManifest, writeManifest } from '../manifest.ts';
import { places, type Report, type Subject, type Task } from '../task.ts';
import { catchUp, hashOf, type KeysHash, snapshotOf, versionOf } from './etcd.ts';
import { checked, SnapshotIntegrity } from './integrity.ts';
import { openPlace, type Place, removeBackups, WRITER } from './store.ts';

/** What the containers after it go on from. */
export interface Taken {
  readonly size: number;
  readonly sha256: string;
  readonly takenAt: string;
  readonly etcdVersion: string;
  /** Of the cluster right before: all of this is in the snapshot. */
  readonly before: KeysHash;
}

export async function take(task: Extract<Task, { do: 'take' }>): Promise<Report> {
  const { key, subject } = task;
  const place = await openPlace(task.storage);
  await using _ = place.store;
  const { source, witness, writer } = subject;
  const before = await hashOf(witness);
  await catchUp(source);
  const etcdVersion = await versionOf(source);
  const takenAt = new Date().toISOString();
  const integrity = new SnapshotIntegrity();
  const body = checked(snapshotOf(source), integrity);
  const metadata = { [WRITER]: writer.uid };
  const { size } = await place.store.put(place.snapshot(key), body, { ifAbsent: true, metadata });
  const taken: Taken = { size, sha256: integrity.sha256, takenAt, etcdVersion, before };
  if (!task.verify) return await settle(place, key, subject, taken, before, task.remove);
  await writeFile(places.taken, JSON.stringify(taken));
  return { ok: true };
}

export async function readTaken(): Promise<Taken> {
  return JSON.parse(await readFile(places.taken, 'utf8')) as Taken;
}

/** Writes down what it is, from which on it counts; then the old ones may go. */
export async function settle(
  place: Place,
  key: string,
  { writer, cluster }: Subject,
  taken: Taken,
  proven: KeysHash & { readonly verifiedAt?: string },
  remove: readonly string[],
): Promise<Report> {
  const { size, sha256, takenAt, etcdVersion } = taken;
  const { revision, hash, compactRevision, verifiedAt } = proven;
  const known = { key, size, sha256, revision, hash, takenAt, etcdVersion, ...(verifiedAt ? { verifiedAt } : {}) };
  const spec = cluster.spec as BackupManifest['cluster']['spec'];
  const manifest = writeManifest({ ...known, compactRevision, writer, cluster: { name: cluster.name, spec } });
  await place.store.put(place.manifest(key), manifest, { ifAbsent: true, metadata: { [WRITER]: writer.uid } });
  // One that can't be deleted is no reason to doubt the one that was taken: it is tried again the next time.
  const removed = await removeBackups(place, remove, writer.uid).catch(() => []);
  return { ok: true, backup: known, removed };
}
