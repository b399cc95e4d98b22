/** What became of the objects of a namespace, step by step, in a form in which two runs can be compared. */
import { type Client, isInitialEventsEnd, type KubernetesObject, type ResourceType } from '@kurator/client';

/** By kind and name: each state that the object was in, and `gone`. */
export type History = Record<string, unknown[]>;

type AnyObject = KubernetesObject & Record<'spec' | 'data' | 'status', unknown>;

/** Resolves when nothing that happens from now on can be missed. */
export async function recordHistory(
  client: Client,
  namespace: string,
  types: readonly ResourceType[],
  signal: AbortSignal,
): Promise<History> {
  const history: History = {};
  const watching = types.map(async (type) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    record(client, type as ResourceType<AnyObject>, namespace, history, signal, resolve).catch(reject);
    await promise;
  });
  await Promise.all(watching);
  return history;
}

async function record(
  client: Client,
  type: ResourceType<AnyObject>,
  namespace: string,
  history: History,
  signal: AbortSignal,
  onBegun: () => void,
): Promise<void> {
  for await (const event of client.watch(type, { namespace, signal, sendInitialEvents: true })) {
    if (isInitialEventsEnd(event)) onBegun();
    if (event.type === 'BOOKMARK') continue;
    const name = `${type.kind} ${event.object.metadata.name}`;
    history[name] ??= [];
    history[name].push(event.type === 'DELETED' ? 'gone' : comparable(event.object));
  }
}

/** Without what differs between two runs of the same: identities, versions and times. */
function comparable({ metadata, spec, data, status }: AnyObject): object {
  const { labels, finalizers, ownerReferences, deletionTimestamp, generation } = metadata;
  const owners = ownerReferences?.map(({ uid: _, ...reference }) => reference);
  const deleting = deletionTimestamp !== undefined;
  const state = { labels, finalizers, owners, generation, deleting, spec, data, status };
  return JSON.parse(JSON.stringify(state, (key, value) => (key === 'lastTransitionTime' ? undefined : value)));
}
