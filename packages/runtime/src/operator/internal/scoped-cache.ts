/** Several namespaces of one kind, read as if they were one cache. */
import type { KubernetesObject } from '@kurator/client';
import type { ObjectCache } from '../../cache/object-cache.ts';

/** @param byNamespace One cache for each namespace; at least one. */
export function scopedCache<T extends KubernetesObject>(
  byNamespace: ReadonlyMap<string, ObjectCache<T>>,
): ObjectCache<T> {
  const caches = [...byNamespace.values()];
  const [first] = caches;
  if (!first) throw new Error('a cache of no namespace at all');
  if (caches.length === 1) return first;
  const at = (namespace: string | undefined) => byNamespace.get(namespace ?? '');
  return {
    type: first.type,
    get synced() {
      return caches.every(({ synced }) => synced);
    },
    async untilSynced(signal) {
      await Promise.all(caches.map((cache) => cache.untilSynced(signal)));
    },
    get: (reference) => at(reference.namespace)?.get(reference),
    list(query = {}) {
      if (query.namespace === undefined) return caches.flatMap((cache) => cache.list(query));
      return at(query.namespace)?.list(query) ?? [];
    },
    byIndex: (index, value) => caches.flatMap((cache) => cache.byIndex(index, value)),
    ownedBy: (uid, skip) => caches.flatMap((cache) => cache.ownedBy(uid, skip)),
    listen(listener) {
      const stops = caches.map((cache) => cache.listen(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    observe: (written) => at(written.metadata.namespace)?.observe(written),
    covers: (reference) => at(reference.namespace)?.covers?.(reference) ?? false,
  };
}
