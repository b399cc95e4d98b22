/** Objects of the operator's kinds to look at, and what was made of them. */
import {
  type Client,
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  type KubernetesObject,
  Namespace,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  type ResourceType,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  type UntypedObject,
  waitFor,
  waitUntilGone,
} from '@kurator/client';
import { HorizontalPodAutoscaler } from '@kurator/client/autoscaling/v2';
import { Ingress, NetworkPolicy } from '@kurator/client/networking/v1';
import type { Examination, Kind } from './examination.ts';
import { reconciledProblem } from './objects.ts';
import type { Example } from './subject.ts';

/** One object. */
export interface Specimen {
  readonly type: ResourceType<UntypedObject>;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Something that was made for it. */
export interface Child {
  readonly type: ResourceType<KubernetesObject>;
  readonly object: KubernetesObject;
}

/** What operators make. */
const childKinds: readonly ResourceType<KubernetesObject>[] = [
  Deployment,
  StatefulSet,
  DaemonSet,
  Job,
  CronJob,
  Service,
  Ingress,
  NetworkPolicy,
  ConfigMap,
  Secret,
  ServiceAccount,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  HorizontalPodAutoscaler,
];
/** Enough to see how it does; a cluster may have thousands. */
const MOST = 20;

/** Those that are there already. */
export async function existing(client: Client, kinds: readonly Kind[], signal: AbortSignal): Promise<Specimen[]> {
  const found: Specimen[] = [];
  for (const { type } of kinds) {
    const { items } = await client.list(type, { metadataOnly: true, limit: MOST, signal });
    found.push(...items.map(({ metadata: { name, namespace } }) => ({ type, name, namespace })));
  }
  return found;
}

/**
 * Makes the examples in a namespace. One of a kind that belongs to the whole cluster is left out: it could be in use.
 *
 * @param made Gets each as soon as it is there, so that all can be removed whatever happens.
 */
export async function makeSamples(
  { client, signal }: Examination,
  kinds: readonly Kind[],
  examples: readonly Example[],
  namespace: string,
  made: Specimen[],
): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace } }, { signal });
  for (const example of examples) {
    const type = kinds.find(({ crd }) => crd.spec.names.kind === example.kind && crd.spec.scope === 'Namespaced')?.type;
    if (!type) continue;
    const { name } = example.metadata;
    await client.create(type, { ...example, metadata: { ...example.metadata, namespace } } as never, { signal });
    made.push({ type, name, namespace });
  }
}

/** First the objects, while the operator is there to clean up after them. */
export async function removeSamples(
  { client, timeoutMs }: Pick<Examination, 'client' | 'timeoutMs'>,
  specimens: readonly Specimen[],
  namespace: string,
): Promise<void> {
  for (const { type, ...ref } of specimens) if (await client.find(type, ref)) await client.delete(type, ref);
  for (const { type, ...ref } of specimens) await waitUntilGone(client, type, ref, { timeout: timeoutMs });
  if (await client.find(Namespace, { name: namespace })) await client.delete(Namespace, { name: namespace });
}

/** Resolves when the operator has seen them all. */
export async function untilReconciled(
  { client, timeoutMs, signal }: Pick<Examination, 'client' | 'timeoutMs' | 'signal'>,
  specimens: readonly Specimen[],
): Promise<void> {
  const isSeen = (object: UntypedObject) => reconciledProblem(object) === undefined;
  const options = { description: 'to be reconciled', timeout: timeoutMs, signal };
  for (const { type, ...ref } of specimens) await waitFor(client, type, ref, isSeen, options);
}

/** What an object owns, in its namespace. */
export async function childrenOf(
  { client, signal }: Pick<Examination, 'client' | 'signal'>,
  { type, ...ref }: Specimen,
): Promise<Child[]> {
  const { namespace } = ref;
  if (!namespace) return [];
  const { metadata } = await client.get(type, ref, { signal });
  const found: Child[] = [];
  for (const kind of childKinds) {
    const { items } = await client.list(kind, { namespace, signal });
    const own = items.filter((item) => item.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
    found.push(...own.map((object) => ({ type: kind, object })));
  }
  return found;
}

/** What all that are looked at own. */
export async function childrenOfAll(
  live: Pick<Examination, 'client' | 'signal'> & { readonly specimens: readonly Specimen[] },
): Promise<Child[]> {
  return (await Promise.all(live.specimens.map((specimen) => childrenOf(live, specimen)))).flat();
}
