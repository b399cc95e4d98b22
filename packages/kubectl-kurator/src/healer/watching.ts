/** What happens to objects, for as long as somebody looks. A watch that ends, by the server's will or not, is begun again. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, hasCode, isExpired, type KubernetesObject, type ResourceType } from '@kurator/client';

const breath = 1000;
const passing = [
  'KUR_CLIENT_UNREACHABLE',
  'KUR_CLIENT_TIMEOUT',
  'KUR_CLIENT_SERVER',
  'KUR_CLIENT_TOO_MANY_REQUESTS',
] as const;

export interface Watched<T extends KubernetesObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly signal: AbortSignal;
  /** As they are in the beginning. */
  onAll(objects: readonly T[]): void;
  /** One that is new or has changed. */
  onChange(object: T): void;
}

/** Ends with the signal, as a failure. */
export async function watchAll<T extends KubernetesObject>(watched: Watched<T>): Promise<never> {
  const { signal, onAll, onChange } = watched;
  let version = await listAll(watched, onAll);
  for (;;) {
    try {
      // After a gap everything may have changed.
      version ||= await listAll(watched, (all) => all.forEach(onChange));
      version = await watchOnce(watched, version);
    } catch (error) {
      signal.throwIfAborted();
      if (isExpired(error)) version = '';
      else if (!passing.some((code) => hasCode(error, code))) throw error;
      await delay(breath, undefined, { signal });
    }
    signal.throwIfAborted();
  }
}

type All<T extends KubernetesObject> = Watched<T>['onAll'];

/** The version at which a watch goes on. */
async function listAll<T extends KubernetesObject>(watched: Watched<T>, onAll: All<T>): Promise<string> {
  const { items, metadata } = await watched.client.list(watched.type, selectionOf(watched));
  onAll(items);
  return metadata?.resourceVersion ?? '';
}

/** Until the server ends it, as it does every few minutes. */
async function watchOnce<T extends KubernetesObject>(watched: Watched<T>, from: string): Promise<string> {
  let version = from;
  const options = { ...selectionOf(watched), resourceVersion: from };
  for await (const event of watched.client.watch(watched.type, options)) {
    version = event.object.metadata.resourceVersion ?? version;
    if (event.type === 'ADDED' || event.type === 'MODIFIED') watched.onChange(event.object);
  }
  return version;
}

function selectionOf<T extends KubernetesObject>({ namespace, labelSelector, signal }: Watched<T>) {
  return { ...(namespace && { namespace }), ...(labelSelector && { labelSelector }), signal };
}
