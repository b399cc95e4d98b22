/** Watches one kind in a namespace, to know the moment when all of it is as it should be. */
import type { Client, KubernetesObject, ResourceType } from '@kurator/client';

/** How long an operator may take for anything before the run is given up. */
const PATIENCE_MILLISECONDS = 15 * 60_000;

/** An object as it is now, or that it is gone. `anew` comes first, and again when all objects are told once more. */
export type Sight<T> = 'anew' | { readonly object: T; readonly gone: boolean };

/** What is waited for: so many objects, each of them so. */
export interface Expectation<T> {
  readonly namespace: string;
  readonly count: number;
  readonly isDone: (object: T) => boolean;
}

/** A watch that is under way. */
export interface Following {
  /** Resolves once as many objects as are waited for have been seen: reading them is not part of what is measured. */
  readonly listed: Promise<void>;
  /** Resolves once they are as they should be; rejects when that takes too long. */
  readonly done: Promise<void>;
}

/** All objects, then their changes; where the server ends a watch, as it may at any time, all objects again. */
export async function* sights<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  namespace: string,
): AsyncGenerator<Sight<T>> {
  const patience = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  while (!patience.aborted) {
    yield 'anew';
    const timeoutSeconds = PATIENCE_MILLISECONDS / 1000;
    const options = { namespace, resourceVersion: '0', timeoutSeconds, signal: patience };
    for await (const { type: event, object } of client.watch(type, options)) {
      if (event !== 'BOOKMARK') yield { object: object as T, gone: event === 'DELETED' };
    }
  }
}

/** Starts watching for something. */
export function follow<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  { namespace, count, isDone }: Expectation<T>,
): Following {
  const listed = Promise.withResolvers<void>();
  const seen = new Set<string>();
  const ready = new Set<string>();
  const watching = async () => {
    for await (const sight of sights(client, type, namespace)) {
      if (sight === 'anew') {
        ready.clear();
        continue;
      }
      const { name } = sight.object.metadata;
      if (seen.add(name).size >= count) listed.resolve();
      if (!sight.gone && isDone(sight.object)) ready.add(name);
      else ready.delete(name);
      if (ready.size >= count) return;
    }
  };
  const done = watching().catch((error: Error) => {
    throw new Error(`${ready.size} of ${count} objects of kind ${type.kind} were done: ${error.message}`);
  });
  done.catch(listed.reject);
  listed.promise.catch(() => {});
  return { listed: listed.promise, done };
}
