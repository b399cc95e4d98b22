/**
 * A client that can't change anything: every write is sent as one that the server only checks (`dryRun=All`), and what
 * can't be sent like that is refused. What the server would have made of it is told to whoever listens.
 */
import type { Client, KubernetesObject, Manifest, ObjectReference, ResourceType } from '@kurator/client';
import { RuntimeError } from '../../error.ts';
import { keyFor } from '../../object-key.ts';
import { declarationOf } from '../../writing/declaration.ts';

/** A write that was not made: what is there, and what would be. */
export interface PlannedWrite {
  readonly type: ResourceType;
  /** Undefined for what would be made. */
  readonly live: KubernetesObject | undefined;
  /** Undefined for what would be deleted. */
  readonly wouldBe: KubernetesObject | undefined;
}

type AnyType = ResourceType<KubernetesObject>;

// Others act at once, whatever the query says (`token`, `binding`), or can't be known.
const checkedOnly = new Set([undefined, 'status', 'scale', 'eviction']);

/** Every method is named here, so that one that the client gets some day doesn't slip through. */
export function dryRunClient(client: Client, onWrite: (write: PlannedWrite) => void): Client {
  /** What would be there by now. */
  const made = new Map<string, KubernetesObject>();
  const madeBefore = <T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectReference) =>
    made.get(declarationOf(type, keyFor(ref))) as T | undefined;

  async function find<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectReference,
    options: Parameters<Client['find']>[2],
  ): Promise<T | undefined> {
    return (await client.find(type, ref, options)) ?? madeBefore(type, ref);
  }

  async function written<T extends KubernetesObject>(
    type: ResourceType<T>,
    { name, namespace }: Partial<ObjectReference>,
    { signal, subresource }: { signal?: AbortSignal | undefined; subresource?: string } = {},
    send: () => Promise<T>,
  ): Promise<T> {
    if (!checkedOnly.has(subresource)) throw refused(`${type.kind}/${subresource}`);
    if (!name) return told(type, undefined, await send());
    const reference = { name, namespace };
    const before = madeBefore(type, reference);
    // A change of what would only just have been made: the server can't know it.
    const scale = subresource === 'scale' ? { subresource } : {};
    const live = await client.find(type, reference, { signal, ...scale });
    if (before && !live) return before;
    const wouldBe = await send();
    if (!live) made.set(declarationOf(type, keyFor(reference)), wouldBe);
    return told(type, live, wouldBe, subresource === 'eviction');
  }

  function told<T extends KubernetesObject>(type: ResourceType<T>, live: T | undefined, wouldBe: T, goes = false): T {
    onWrite({ type, live, wouldBe: goes ? undefined : wouldBe });
    return wouldBe;
  }

  const metadataOf = ({ metadata }: Manifest<KubernetesObject>) => metadata;
  return {
    config: client.config,
    get: async (type, ref, options) => madeBefore(type, ref) ?? (await client.get(type, ref, options)),
    find,
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    watchLines: (type, options) => client.watchLines(type, options),
    discover: (apiVersion, kind, options) => client.discover(apiVersion, kind, options),
    logs: (pod, options) => client.logs(pod, options),
    followLogs: (pod, options) => client.followLogs(pod, options),
    create: (type, object, options) =>
      written(type, metadataOf(object), options, () => client.create(type, object, { ...options, dryRun: true })),
    replace: (type, object, options) =>
      written(type, metadataOf(object), options, () => client.replace(type, object, { ...options, dryRun: true })),
    patch: (type, ref, patch, options) =>
      written(type, ref, options, () => client.patch(type, ref, patch, { ...options, dryRun: true })),
    apply: (type, object, options) =>
      written(type, metadataOf(object), options, () => client.apply(type, object, { ...options, dryRun: true })),
    async delete(type, ref, options) {
      const live = await client.find(type as AnyType, ref, { signal: options?.signal });
      await client.delete(type, ref, { ...options, dryRun: true });
      if (live) onWrite({ type, live, wouldBe: undefined });
    },
    async deleteCollection(type, options) {
      const { namespace, labelSelector, fieldSelector, signal } = options;
      const selection = { namespace, signal, ...(labelSelector ? { labelSelector } : {}) };
      const { items } = await client.list(type as AnyType, {
        ...selection,
        ...(fieldSelector ? { fieldSelector } : {}),
      });
      await client.deleteCollection(type, { ...options, dryRun: true });
      for (const live of items) onWrite({ type, live, wouldBe: undefined });
    },
    exec: async () => {
      throw refused('a program in a pod');
    },
    attach: async () => {
      throw refused('a program in a pod');
    },
    portForward: async () => {
      throw refused('a connection to a pod');
    },
    async raw(method, path, options) {
      if (method !== 'GET') throw refused(`${method} ${path}`);
      return await client.raw(method, path, options);
    },
    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function refused(what: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_DRY_RUN', `this is a dry run, and ${what} can't be had without acting`, {
    remedy: "leave it out where the context's dryRun is true",
  });
}
