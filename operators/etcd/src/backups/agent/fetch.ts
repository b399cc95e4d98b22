/** Brings a snapshot out of the storage into a file: whole, and what it is said to be, or not at all. */
import { createWriteStream } from 'node:fs';
import { access, readdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isStoreError } from '@kurator/object-store';
import { type BackupManifest, checkVersion, LONGEST_MANIFEST, readManifest } from '../manifest.ts';
import { Refusal } from '../refusal.ts';
import type { Report, Task } from '../task.ts';
import { checked, SnapshotIntegrity } from './integrity.ts';
import { makeScratchCertificate } from './scratch-certificate.ts';
import { openPlace, type Place } from './store.ts';
import { readTaken } from './take.ts';

export async function fetchSnapshot(task: Extract<Task, { do: 'fetch' }>): Promise<Report> {
  const { key, known, unless, clear, into, version, scratch } = task;
  if (unless && (await hasFiles(unless))) {
    return { ok: false, there: true, why: 'there is data already, and nothing is restored over it' };
  }
  if (clear) await rm(clear, { recursive: true, force: true });
  const place = await openPlace(task.storage);
  await using _ = place.store;
  const wanted = known === 'taken' ? await readTaken() : await manifestOf(place, key);
  if (task.sha256 && task.sha256 !== wanted.sha256) {
    throw new Refusal(`${key} is not the snapshot that was chosen: its digest in ${key}.json is another`);
  }
  if (version) checkVersion(version, wanted);
  await download(place, key, wanted, into);
  if (scratch) await makeScratchCertificate();
  return { ok: true };
}

/** What is written beside it. */
export async function manifestOf(place: Place, key: string): Promise<BackupManifest> {
  const { body, bytes } = await found(place, place.manifest(key), 'it is not a backup of this operator');
  body.on('error', () => undefined);
  return readManifest((await bytes(LONGEST_MANIFEST)).toString(), key);
}

async function download(place: Place, key: string, wanted: { size: number; sha256: string }, into: string) {
  const object = place.snapshot(key);
  const { info, body } = await found(place, object, 'the snapshot is gone');
  if (info.size !== wanted.size) {
    body.destroy();
    throw new Refusal(
      `${object} has ${info.size} bytes, and was written with ${wanted.size}: it is cut off, or another file`,
    );
  }
  const integrity = new SnapshotIntegrity();
  try {
    await pipeline(checked(body, integrity), createWriteStream(into));
  } catch (error) {
    if (isStoreError(error, 'KUR_STORE_DIGEST')) throw damaged(object);
    throw error;
  }
  if (integrity.sha256 !== wanted.sha256) throw damaged(object);
}

const damaged = (object: string) => new Refusal(`${object} is not what was written: its digest is another`);

async function found(place: Place, object: string, otherwise: string) {
  try {
    const stored = await place.store.get(object);
    return { info: stored.info, body: stored.body, bytes: stored.bytes.bind(stored) };
  } catch (error) {
    if (!isStoreError(error, 'KUR_STORE_NOT_FOUND')) throw error;
    throw new Refusal(`there is no ${object} in ${place.store.location}: ${otherwise}`, { cause: error });
  }
}

async function hasFiles(folder: string): Promise<boolean> {
  const there = await access(folder).then(
    () => true,
    () => false,
  );
  return there && (await readdir(folder)).length > 0;
}
