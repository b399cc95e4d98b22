/** One cluster that an operator works on: its client, its caches, and whom to tell. */
import type { Client, KubernetesObject, ResourceType } from '@kurator/client';
import type { CacheOptions, Caches } from '../../cache/cache.ts';
import type { ObjectCache } from '../../cache/object-cache.ts';
import { RuntimeError } from '../../error.ts';
import type { EventRecorder } from '../../events/event-recorder.ts';
import { type AnyType, HOME } from '../definition.ts';
import { type CacheNeed, cacheKey } from './cache-plan.ts';
import { scopedCache } from './scoped-cache.ts';

export interface Site {
  readonly name: string;
  /** Writes only while this process leads. */
  readonly client: Client;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Those that the operator works in; all unless given. */
  readonly namespaces: readonly string[] | undefined;
  /** The cache of a kind that was planned for. */
  cache<T extends KubernetesObject>(type: ResourceType<T>, labelSelector?: string): ObjectCache<T>;
}

export interface SiteOptions {
  readonly name: string;
  readonly client: Client;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly caches: Caches;
  readonly needs: readonly CacheNeed[];
  /** All unless given. */
  readonly namespaces: readonly string[] | undefined;
}

export function openSite({ name, client, events, caches, needs, namespaces }: SiteOptions): Site {
  const byKey = new Map(
    needs
      .filter(({ cluster }) => cluster === name)
      .map((need) => [cacheKey(name, need.type, need.labelSelector), makeCache(caches, need, namespaces)]),
  );
  return {
    name,
    client,
    events,
    namespaces,
    cache<T extends KubernetesObject>(type: ResourceType<T>, labelSelector?: string) {
      const found = byKey.get(cacheKey(name, type as unknown as AnyType, labelSelector));
      if (found) return found as unknown as ObjectCache<T>;
      throw new RuntimeError('KUR_RUNTIME_NOT_DECLARED', `no controller looks at ${type.kind}${inCluster(name)}`);
    },
  };
}

export function inCluster(name: string): string {
  return name === HOME ? '' : ` in cluster ${name}`;
}

function makeCache(caches: Caches, need: CacheNeed, namespaces: readonly string[] | undefined) {
  const { type, labelSelector, indexes } = need;
  const options: CacheOptions<KubernetesObject> = {
    ...(labelSelector ? { labelSelector } : {}),
    ...(Object.keys(indexes).length > 0 ? { indexes } : {}),
  };
  if (!type.namespaced || !namespaces) return caches.of(type, options);
  return scopedCache(new Map(namespaces.map((namespace) => [namespace, caches.of(type, { ...options, namespace })])));
}
