/**
 * Whether the operator's namespace may go with it: not if there is something else in it, of whatever kind the cluster knows. What
 * follows from other objects, or is made in every namespace, is nobody's.
 */
import { type Client, ClientError, type KubernetesObject, type ResourceType, untyped } from '@kurator/client';
import type { OperatorDescription } from '../manifests/description.ts';
import { isWrittenFor } from './inventory.ts';
import { isMadeByOperator } from './own-objects.ts';

/** Made by the control plane of something else, or worth nothing by itself. */
const derived = new Set(['Event', 'Endpoints', 'EndpointSlice', 'Lease', 'PodMetrics']);
const inEveryNamespace = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default']);

/** What is in a namespace. */
export interface NamespaceContent {
  /** What is there besides the operator, what nothing else brings about first: `Deployment web`. */
  readonly others: readonly string[];
  /** The uids of what is the operator's, and of what goes with that. */
  readonly own: ReadonlySet<string>;
}

/** @param gone The uids of what was the operator's when it was looked at before: what they own goes too, a moment later. */
export async function contentOf(
  client: Client,
  namespace: string,
  description: OperatorDescription,
  signal: AbortSignal,
  gone: ReadonlySet<string> = new Set(),
): Promise<NamespaceContent> {
  const { types, unknown } = await listableKinds(client, signal);
  const found: Found[] = [];
  for (const type of types.filter(({ kind }) => !derived.has(kind))) {
    const items = await client
      .list<KubernetesObject>(type, { namespace, metadataOnly: true, signal })
      .then((list) => list.items)
      .catch((error) => (isRemoved(error) ? [] : Promise.reject(error)));
    found.push(...items.map(({ metadata }) => ({ kind: type.kind, metadata })));
  }
  const own = withOwned(found, new Set([...gone, ...found.filter((each) => isOwn(each, description)).map(uidOf)]));
  const others = found
    .filter((each) => !own.has(uidOf(each)) && !inEveryNamespace.has(titleOf(each)))
    .toSorted((a, b) => ownersOf(a).length - ownersOf(b).length);
  return { others: [...new Set([...unknown, ...others.map(titleOf)])], own };
}

type Found = Pick<KubernetesObject, 'kind' | 'metadata'>;

/**
 * What has owners goes with them, if all of them go. An owner that is not in the namespace does not go with it: it is of the
 * whole cluster, and what it keeps here may be anybody's data.
 */
function withOwned(found: readonly Found[], own: ReadonlySet<string>): ReadonlySet<string> {
  const isOwned = (each: Found) => ownersOf(each).length > 0 && ownersOf(each).every(({ uid }) => own.has(uid));
  const more = found.filter((each) => !own.has(uidOf(each)) && isOwned(each));
  return more.length > 0 ? withOwned(found, new Set([...own, ...more.map(uidOf)])) : own;
}

function ownersOf({ metadata }: Found) {
  return metadata.ownerReferences ?? [];
}

function uidOf({ metadata }: Found): string {
  return metadata.uid ?? '';
}

function titleOf({ kind, metadata }: Found): string {
  return `${kind} ${metadata.name}`;
}

function isOwn(each: Found, description: OperatorDescription): boolean {
  return isWrittenFor(each, description) || isMadeByOperator(each, description);
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
    const list = await read<{ resources: ApiResource[] }>(path).catch((error) => {
      signal.throwIfAborted();
      return isRemoved(error) ? { resources: [] } : undefined;
    });
    if (!list) unknown.push(`what ${apiVersion} has, which does not answer`);
    const listable = list?.resources.filter(({ name, verbs }) => verbs.includes('list') && !name.includes('/')) ?? [];
    for (const { name, kind, namespaced } of listable) {
      if (namespaced) types.push(untyped(apiVersion, kind, { plural: name, namespaced }));
    }
  }
  return { types, unknown };
}

/** A CRD, or the last one of its group, is listed for a moment after it is gone; whoever can't be asked answers otherwise. */
function isRemoved(error: unknown): boolean {
  return error instanceof ClientError && error.status === 404;
}
