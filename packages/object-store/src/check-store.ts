/** Proves that a store does what it promises, before something depends on it. */
import { randomUUID } from 'node:crypto';
import { isStoreError, ObjectStoreError } from './error.ts';
import type { CallOptions, ObjectStore } from './object-store.ts';

/**
 * Puts a small object below `prefix`, reads it, lists it, sees that a second one of the same key is refused and that one with a
 * wrong `ifMatch` is, and deletes it. Some servers of S3 accept conditions and don't keep them: with those, two writers would
 * overwrite each other, and nobody would know. For an operator's status, when a store is first named and now and then.
 */
export async function checkStore(store: ObjectStore, prefix = '', options: CallOptions = {}): Promise<void> {
  const key = `${prefix}kurator-check-${randomUUID()}`;
  const content = Buffer.from(key);
  try {
    const { etag } = await store.put(key, content, { ...options, ifAbsent: true });
    const read = await (await store.get(key, options)).bytes(content.length);
    if (!read.equals(content)) throw unfit(store, key, 'what is read is not what was put');
    const listed = await Array.fromAsync(store.list(key, options));
    if (!listed.some(({ objects }) => objects.some((one) => one.key === key && one.etag === etag)))
      throw unfit(store, key, 'an object that was put is not listed');
    const second = { ...options, ifAbsent: true };
    if (!(await isRefused(store.put(key, Buffer.from('second'), second))))
      throw unfit(store, key, 'a second object of the same key is accepted with `ifAbsent` (If-None-Match)');
    const other = { ...options, ifMatch: '0123456789abcdef0123456789abcdef' };
    if (!(await isRefused(store.put(key, Buffer.from('third'), other))))
      throw unfit(store, key, 'an object that does not match is replaced with `ifMatch` (If-Match)');
  } finally {
    await store.delete(key, options);
  }
}

async function isRefused(put: Promise<unknown>): Promise<boolean> {
  return await put.then(
    () => false,
    (error) => {
      if (isStoreError(error, 'KUR_STORE_EXISTS', 'KUR_STORE_CHANGED')) return true;
      throw error;
    },
  );
}

function unfit({ location }: ObjectStore, key: string, what: string): ObjectStoreError {
  return new ObjectStoreError(
    'KUR_STORE_UNFIT',
    `${location}: ${what}. Use another server, or a newer version of it.`,
    { key },
  );
}
