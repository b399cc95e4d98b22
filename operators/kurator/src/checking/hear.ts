/**
 * Hears what happens to objects of a kind, from now on, and keeps none of them: what is missed while a watch is begun
 * again is found by the next regular check. So a big cluster costs the operator no memory.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, KubernetesObject, ResourceType, WatchOptions } from '@kurator/sdk';

/** What is heard of, and who hears it. */
export interface Hearing<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly selection: Pick<WatchOptions, 'namespace' | 'fieldSelector' | 'metadataOnly'>;
  onNews(object: T, what: 'ADDED' | 'MODIFIED' | 'DELETED'): void;
  /** The watch has to be begun again, for another reason than its normal end. */
  onTrouble(error: unknown): void;
}

const shortestPause = 200;
const longestPause = 30_000;

/** Hears until the signal fires; never throws. */
export async function hear<T extends KubernetesObject>(
  client: Client,
  hearing: Hearing<T>,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  let pause = shortestPause;
  while (!signal.aborted) {
    try {
      version ??= await newestVersion(client, hearing, signal);
      const options = { ...hearing.selection, ...(version && { resourceVersion: version }), signal };
      for await (const { type, object } of client.watch(hearing.type, options)) {
        version = object.metadata.resourceVersion;
        pause = shortestPause;
        if (type !== 'BOOKMARK') hearing.onNews(object, type);
      }
    } catch (error) {
      if (signal.aborted) return;
      version = undefined;
      hearing.onTrouble(error);
      pause = Math.min(2 * pause, longestPause);
    }
    // The only way a delay fails is that the signal fired.
    await delay(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
  }
}

/** Asked for without selector: the server then need not look through all it has for one that fits. */
async function newestVersion<T extends KubernetesObject>(
  client: Client,
  { type, selection: { namespace } }: Hearing<T>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { metadata } = await client.list(type, { namespace, limit: 1, metadataOnly: true, signal });
  return metadata.resourceVersion;
}
