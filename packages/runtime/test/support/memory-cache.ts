/** A cache without a server: a test says what there is. */
import type { KubernetesObject, ResourceType } from '@kurator/client';
import type { CacheChange, CacheListener, ObjectCache } from '../../src/cache/object-cache.ts';
import { ObjectTable } from '../../src/cache/object-table.ts';
import { RawObject } from '../../src/cache/raw-object.ts';
import { type ObjectKey, referenceOf } from '../../src/object-key.ts';

export interface MemoryCache<T extends KubernetesObject> extends ObjectCache<T> {
  /** Takes in an object, as a watch would; its resourceVersion is made up. */
  put(object: Omit<T, 'apiVersion' | 'kind'>, initial?: boolean): T;
  /** Changes what is there, as a watch would tell. */
  change(key: ObjectKey, change: (object: T) => void): T;
  remove(key: ObjectKey): void;
  sync(): void;
  readonly listeners: number;
}

export function memoryCache<T extends KubernetesObject>(type: ResourceType<T>, synced = true): MemoryCache<T> {
  const owner = ({ metadata }: T) =>
    metadata.ownerReferences?.flatMap(({ uid, controller }) => (controller ? [uid] : []));
  const table = new ObjectTable<T>(new Map([['owner', (object) => owner(object.object()) ?? []]]));
  const listeners = new Set<CacheListener<T>>();
  const syncing = Promise.withResolvers<void>();
  let version = 100;
  let isSynced = synced;

  const tell = (change: CacheChange<T> | undefined) => {
    if (change) for (const listener of listeners) listener(change);
  };
  const put = (object: T, initial = false) => {
    object.metadata.resourceVersion = String(++version);
    tell(table.put(RawObject.fromObject(object), initial));
    return object;
  };

  return {
    type,
    get synced() {
      return isSynced;
    },
    get listeners() {
      return listeners.size;
    },
    untilSynced: (signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        if (isSynced) resolve();
        else syncing.promise.then(resolve, reject);
      }),
    get: (reference) => table.get(reference),
    list: (query) => table.list(query),
    byIndex: (index, value) => table.byIndex(index, value),
    ownedBy: (uid) => table.byIndex('owner', uid),
    listen(listener) {
      for (const change of table.additions()) listener(change);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    observe: (written) => tell(table.putWritten(written)),
    put: (object, initial) => put({ apiVersion: type.apiVersion, kind: type.kind, ...object } as T, initial),
    change(key, change) {
      const object = table.get(referenceOf(key));
      if (!object) throw new Error(`there is no ${type.kind} ${key}`);
      change(object);
      return put(object);
    },
    remove: (key) => tell(table.remove(key, String(++version))),
    sync() {
      isSynced = true;
      syncing.resolve();
    },
  };
}
