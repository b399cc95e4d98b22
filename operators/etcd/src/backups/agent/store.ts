/** The place that a storage names, opened; and what in it is whose. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolderStore, createS3Store, isStoreError, type ObjectStore } from '@kurator/object-store';
import type { Storage } from '../storage-fields.ts';
import { places } from '../task.ts';

/** A store, and the keys in it that belong to a backup's. */
export interface Place {
  readonly store: ObjectStore;
  snapshot(key: string): string;
  manifest(key: string): string;
}

export async function openPlace({ s3, volume }: Storage): Promise<Place> {
  if (s3) {
    const { endpoint, bucket, region, caSecret, prefix } = s3;
    const ca = caSecret ? await readFile(join(places.ca, 'ca.crt')) : undefined;
    const options = { bucket, region, ...(endpoint ? { endpoint } : {}), ...(ca ? { ca } : {}) };
    return placeIn(createS3Store({ ...options, credentials }), prefix);
  }
  const folder = join(places.claim, volume?.path ?? '');
  await mkdir(folder, { recursive: true });
  return placeIn(createFolderStore({ folder }), '');
}

function placeIn(store: ObjectStore, prefix: string): Place {
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return { store, snapshot: (key) => `${folder}${key}.db`, manifest: (key) => `${folder}${key}.json` };
}

/** As the Secret has them now: they may have been changed since the pod began. */
async function credentials() {
  const read = async (name: string) => (await readFile(join(places.credentials, name), 'utf8').catch(() => '')).trim();
  const sessionToken = await read('sessionToken');
  return {
    accessKeyId: await read('accessKeyId'),
    secretAccessKey: await read('secretAccessKey'),
    ...(sessionToken ? { sessionToken } : {}),
  };
}

/** Kept with each object: who has written it. */
export const WRITER = 'etcd-backup-uid';

/** Deletes what this writer has written under these keys, and nothing else. Gives the keys of which nothing of his is left. */
export async function removeBackups(place: Place, keys: readonly string[], writer: string): Promise<string[]> {
  const removed: string[] = [];
  for (const key of keys) {
    // First what makes it count.
    for (const object of [place.manifest(key), place.snapshot(key)]) {
      if (await isOf(place.store, object, writer)) await place.store.delete(object);
    }
    removed.push(key);
  }
  return removed;
}

async function isOf(store: ObjectStore, object: string, writer: string): Promise<boolean> {
  try {
    return (await store.head(object)).metadata?.[WRITER] === writer;
  } catch (error) {
    if (isStoreError(error, 'KUR_STORE_NOT_FOUND')) return false;
    throw error;
  }
}
