/**
 * What is heard between the reconciles, and has checks run at once: warnings about pods, and changes of the endpoints of
 * Services that checks go through.
 */

import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  type CompanionContext,
  EndpointSlice,
  Event,
  type KubernetesObject,
  type Node,
  Pod,
  ReplicaSet,
  type ResourceType,
  type Service,
  type WatchOptions,
} from '@kurator/sdk';
import { theService } from '../brain/observation.ts';
import type { ServiceMemories } from '../memory/service-memory.ts';
import { Kurator } from '../resources/kurator.ts';
import { type Look, nameOf, targetKey } from '../resources/lookup.ts';
import { kuratorLabel } from '../resources/ownership.ts';
import type { ServiceChecks } from './service-checks.ts';

const serviceName = 'kubernetes.io/service-name';
/** In milliseconds, each after the one before. What has changed here, kube-proxies follow a little later: a look at once alone would see the past. */
const looksAfterEndpoints = [0, 1000, 5000, 20_000, 40_000];

/** What of an operator has to do with what is heard. */
export interface Listener {
  readonly look: Look | undefined;
  readonly memories: ServiceMemories;
  readonly checks: ServiceChecks;
}

/** Listens for one operator. */
export class ClusterEvents {
  readonly #listener: Listener;
  /** Who is looked at again and again for a while, by name. */
  readonly #again = new Map<string, AbortController>();

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Until the signal fires. */
  async run(
    { manager, namespaces }: Pick<CompanionContext, 'manager' | 'namespaces'>,
    signal: AbortSignal,
  ): Promise<void> {
    const everywhere: readonly (string | undefined)[] = namespaces ?? [undefined];
    const listenTo = <T extends KubernetesObject>({ selection, ...rest }: Omit<Hearing<T>, 'onTrouble'>) =>
      everywhere.map((namespace) => {
        const about = { kind: rest.type.kind, namespace };
        const onTrouble = (error: unknown) =>
          manager.logger.warn({ ...about, error }, 'what happens is not heard: it is tried again');
        return hear(manager.client, { ...rest, selection: { ...selection, namespace }, onTrouble }, signal);
      });
    await Promise.all([
      ...listenTo<Event>({
        type: Event,
        selection: { fieldSelector: 'type=Warning,involvedObject.kind=Pod' },
        // Those that are deleted are an hour old.
        onNews: (event, what) => (what === 'DELETED' ? undefined : this.#onWarning(event)),
      }),
      ...listenTo<EndpointSlice>({
        type: EndpointSlice,
        selection: { metadataOnly: true },
        onNews: (slice) => this.#onEndpoints(slice, signal),
      }),
    ]);
  }

  #onWarning({ involvedObject }: Event): void {
    const { look } = this.#listener;
    const { name, namespace, uid } = involvedObject;
    const pod = look && name ? look.get(Pod, { name, namespace }) : undefined;
    if (!look || !uid || pod?.metadata.uid !== uid) return;
    for (const kurator of kuratorsOfPod(pod, look)) this.#lookNow(nameOf(kurator), uid, theService);
  }

  #onEndpoints({ metadata }: EndpointSlice, signal: AbortSignal): void {
    const { look, memories } = this.#listener;
    const { namespace = '', labels } = metadata;
    for (const kurator of look?.byIndex(Kurator, 'throughService', namespace) ?? []) {
      const name = nameOf(kurator);
      if (memories.get(name)?.service === labels?.[serviceName]) void this.#lookAgain(name, signal);
    }
  }

  /** Begins anew with each change, so that many of them cost little more than one. */
  async #lookAgain(name: string, signal: AbortSignal): Promise<void> {
    this.#again.get(name)?.abort();
    const own = new AbortController();
    this.#again.set(name, own);
    const either = AbortSignal.any([signal, own.signal]);
    for (const pause of looksAfterEndpoints) {
      await delay(pause, undefined, { signal: either, ref: false }).catch(() => {});
      if (either.aborted) return;
      this.#lookNow(name, theService);
    }
    this.#again.delete(name);
  }

  #lookNow(name: string, ...targets: string[]): void {
    const memory = this.#listener.memories.get(name);
    if (memory) this.#listener.checks.lookNow(memory, new Set(targets));
  }
}

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

export function kuratorsOf(kind: string, { namespace, name }: KubernetesObject['metadata'], look: Look): Kurator[] {
  return look.byIndex(Kurator, 'target', targetKey(namespace, kind, name));
}

/** By its ReplicaSet's Deployment, or by its StatefulSet. */
export function kuratorsOfPod({ metadata }: Pod, look: Look): Kurator[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind === 'StatefulSet') return kuratorsOf('StatefulSet', { ...metadata, name: owner.name }, look);
  if (owner?.kind !== 'ReplicaSet') return [];
  const set = look.get(ReplicaSet, { name: owner.name, namespace: metadata.namespace });
  const deployment = set?.metadata.ownerReferences?.find(({ controller }) => controller);
  return deployment ? kuratorsOf('Deployment', { ...metadata, name: deployment.name }, look) : [];
}

export function kuratorsOnNode({ metadata }: Node, look: Look): Kurator[] {
  const found = look.byIndex(Pod, 'node', metadata.name).flatMap((pod) => kuratorsOfPod(pod, look));
  return [...new Map(found.map((kurator) => [kurator.metadata.uid, kurator])).values()];
}

/**
 * Those that check through a Service of this one's namespace: which one it is may just have changed; and the one that it
 * is meant for.
 */
export function kuratorsThrough({ metadata: { namespace = '', labels } }: Service, look: Look): readonly Kurator[] {
  const named = look.get(Kurator, { name: labels?.[kuratorLabel] ?? '', namespace });
  return [...look.byIndex(Kurator, 'throughService', namespace), ...(named ? [named] : [])];
}
