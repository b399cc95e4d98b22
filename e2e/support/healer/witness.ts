/** Somebody who only looks on: what the watches have shown of pods, workloads and Incidents, from the beginning to the end. */
import { Incident } from '@kurator/operator-kurator';
import { createCache } from '@kurator/runtime';
import { type Client, Deployment, type KubernetesObject, Pod, type ResourceType, StatefulSet } from '@kurator/sdk';

/** Something that was so from a moment on. */
export interface Sighting<V> {
  readonly at: number;
  readonly value: V;
}

/**
 * Sees every change by itself, and so can testify to what no look at the end shows: that replicas never fell, that
 * nobody was missing in between, that every stage of an Incident is in its log.
 */
export class Witness implements AsyncDisposable {
  readonly #client: Client;
  readonly #over = new AbortController();
  readonly #watching: Promise<void>[] = [];
  readonly #stages = new Map<string, Sighting<string>[]>();
  readonly #wanted = new Map<string, Sighting<number>[]>();
  readonly #ready = new Map<string, Sighting<number>[]>();
  readonly #readyPods = new Map<string, Set<string>>();
  readonly #staying = new Map<string, Sighting<number>[]>();
  readonly #stayingPods = new Map<string, Set<string>>();

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Resolves once it sees everything that is there. */
  static async open(client: Client, namespace: string): Promise<Witness> {
    const witness = new Witness(client);
    const wanted = (workload: Deployment | StatefulSet) => witness.#seeWorkload(workload);
    await Promise.all([
      witness.#watch(Incident, namespace, (incident) => witness.#seeIncident(incident)),
      witness.#watch(Deployment, namespace, wanted),
      witness.#watch(StatefulSet, namespace, wanted),
      witness.#watch(Pod, namespace, (pod, isGone) => witness.#seePod(pod, isGone)),
    ]);
    return witness;
  }

  /** The stages that an Incident was seen in, in order. Changes that follow at once may be seen as one. */
  stagesOf(incident: string): readonly Sighting<string>[] {
    return this.#stages.get(incident) ?? [];
  }

  /** How many replicas a workload was told to have, change by change. */
  replicasOf(workload: string): readonly Sighting<number>[] {
    return this.#wanted.get(workload) ?? [];
  }

  /** How many of a service's pods were ready, change by change, by {@link appOf}. */
  readyOf(service: string): readonly Sighting<number>[] {
    return this.#ready.get(service) ?? [];
  }

  /** How many of a service's pods were ready and not on their way out, change by change. */
  stayingOf(service: string): readonly Sighting<number>[] {
    return this.#staying.get(service) ?? [];
  }

  async #watch<T extends KubernetesObject>(
    type: ResourceType<T>,
    namespace: string,
    see: (object: T, isGone: boolean) => void,
  ): Promise<void> {
    const cache = createCache(this.#client, type, { namespace });
    cache.listen((change) => see(change.object(), change.type === 'deleted'));
    this.#watching.push(cache.run(this.#over.signal));
    await cache.untilSynced();
  }

  #seeIncident({ metadata, status }: Incident): void {
    if (status?.stage) note(this.#stages, metadata.name, status.stage);
  }

  #seeWorkload({ metadata, spec }: Deployment | StatefulSet): void {
    if (spec?.replicas !== undefined) note(this.#wanted, metadata.name, spec.replicas);
  }

  #seePod(pod: Pod, isGone: boolean): void {
    const service = appOf(pod);
    const { uid = '', deletionTimestamp } = pod.metadata;
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    const isServing = isReady === true && !isGone;
    note(this.#ready, service, counted(this.#readyPods, service, uid, isServing));
    note(this.#staying, service, counted(this.#stayingPods, service, uid, isServing && !deletionTimestamp));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#watching);
  }
}

/** How many there are, with this one or without it. */
function counted(all: Map<string, Set<string>>, service: string, uid: string, isIn: boolean): number {
  const pods = all.get(service) ?? new Set<string>();
  all.set(service, pods);
  if (isIn) pods.add(uid);
  else pods.delete(uid);
  return pods.size;
}

function note<V>(notes: Map<string, Sighting<V>[]>, name: string, value: V): void {
  const known = notes.get(name) ?? [];
  notes.set(name, known);
  if (known.at(-1)?.value !== value) known.push({ at: Date.now(), value });
}

/** Which service a pod belongs to: what the healer makes, it labels as everybody does. */
export function appOf({ metadata }: Pod): string {
  return metadata.labels?.app ?? metadata.labels?.['app.kubernetes.io/name'] ?? '';
}
