/**
 * Whether the operator's namespace may go with it: not if there is something else in it, of whatever kind the cluster knows. What
 * follows from other objects, or is made in every namespace, is nobody's.
 */
import { type Client, hasCode, type KubernetesObject, type ResourceType, untyped } from '@kurator/client';
import { type OperatorDescription, selectorOf } from '../manifests/description.ts';

/** Made by the control plane of something else, or worth nothing by itself. */
const derived = new Set(['Event', 'Endpoints', 'EndpointSlice', 'Lease', 'PodMetrics']);
const inEveryNamespace = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default']);

/** What is in the namespace besides the operator: `Deployment web`. */
export async function othersIn(
  client: Client,
  namespace: string,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<string[]> {
  const { types, unknown } = await listableKinds(client, signal);
  const found = new Set<string>(unknown);
  for (const type of types.filter(({ kind }) => !derived.has(kind))) {
    const others = await client
      .list<KubernetesObject>(type, { namespace, metadataOnly: true, signal })
      .then(({ items }) => items.filter(({ metadata }) => !isOwn(type.kind, metadata, description)))
      // A kind that has just been removed.
      .catch((error) => (hasCode(error, 'KUR_CLIENT_NOT_FOUND') ? [] : Promise.reject(error)));
    for (const { metadata } of others) found.add(`${type.kind} ${metadata.name}`);
  }
  return [...found];
}

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

interface Listable {
  readonly types: readonly ResourceType<KubernetesObject>[];
  /** What may be there of groups that nobody answers for. */
  readonly unknown: readonly string[];
}

/** Everything that can be listed in a namespace, in the version that the server prefers. */
async function listableKinds(client: Client, signal: AbortSignal): Promise<Listable> {
  const read = async <T>(path: string) => (await client.raw('GET', path, { signal })) as T;
  const { groups } = await read<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
  const types: ResourceType<KubernetesObject>[] = [];
  const unknown: string[] = [];
  for (const apiVersion of versions) {
    const path = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const list = await read<{ resources: ApiResource[] }>(path).catch(() => signal.throwIfAborted());
    if (!list) unknown.push(`what ${apiVersion} has, which does not answer`);
    const listable = list?.resources.filter(({ name, verbs }) => verbs.includes('list') && !name.includes('/')) ?? [];
    for (const { name, kind, namespaced } of listable) {
      if (namespaced) types.push(untyped(apiVersion, kind, { plural: name, namespaced }));
    }
  }
  return { types, unknown };
}

function isOwn(kind: string, metadata: KubernetesObject['metadata'], description: OperatorDescription): boolean {
  if (inEveryNamespace.has(`${kind} ${metadata.name}`)) return true;
  if (kind === 'Secret' && metadata.name === `${description.name}-webhooks`) return true;
  // Who has an owner goes with it: the owner is what counts.
  return (metadata.ownerReferences?.length ?? 0) > 0 || isLabelled(metadata, description);
}

function isLabelled({ labels = {} }: KubernetesObject['metadata'], description: OperatorDescription): boolean {
  return Object.entries(selectorOf(description)).every(([key, value]) => labels[key] === value);
}
