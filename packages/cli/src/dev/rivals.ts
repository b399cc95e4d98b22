/** Who else runs the operator in a cluster: a deployment, another desk, or somebody whose webhooks are registered. */
import { networkInterfaces } from 'node:os';
import { type Client, Deployment, hasCode, type KubernetesObject, Lease, type ResourceType } from '@kurator/client';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@kurator/client/admissionregistration/v1';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { selectorOf } from '../manifests/description.ts';
import type { LoadedOperator } from './messages.ts';

/** On a Deployment that a desk has put to rest: how many replicas it had. */
export const REPLICAS_ANNOTATION = 'kurator.sh/replicas-before-dev';

/** What was found, each as `Kind namespace/name`. */
export interface Rivals {
  readonly titles: readonly string[];
  readonly deployments: readonly Deployment[];
  /** Where the operator's Lease is, if somebody has one. */
  readonly leaseNamespace: string | undefined;
  /** Kinds that this user may not look at: whoever is there is not among the titles. */
  readonly unseen: readonly string[];
}

/** @param own Our identity: holders of the Lease that are ours have it before a `_` and something of their own. */
export async function rivalsOf(
  client: Client,
  { name, crds }: LoadedOperator,
  own: string,
  signal: AbortSignal,
): Promise<Rivals> {
  const labels = { ...selectorOf({ name }), 'app.kubernetes.io/component': 'operator' };
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const unseen = new Set<string>();
  const looking = { client, signal, unseen };
  const labelled = await listed(looking, Deployment, { labelSelector });
  const deployments = labelled.filter(isAtWork);
  const leases = await listed(looking, Lease, { fieldSelector: `metadata.name=${name}` });
  const held = leases.filter((lease) => isHeld(lease) && !lease.spec?.holderIdentity?.startsWith(`${own}_`));
  const configurations = [
    ...(await found(looking, ValidatingWebhookConfiguration, name)),
    ...(await found(looking, MutatingWebhookConfiguration, name)),
  ].filter(({ webhooks = [] }) => webhooks.some(({ clientConfig }) => isElsewhere(clientConfig)));
  const definitions = (await Promise.all(crds.map((crd) => found(looking, CustomResourceDefinition, crd)))).flat();
  const converted = definitions.filter(({ spec }) => isElsewhere(spec.conversion?.webhook?.clientConfig));
  return {
    titles: [...deployments, ...held, ...configurations, ...converted].map(title),
    deployments,
    leaseNamespace: deployments[0]?.metadata.namespace ?? leases[0]?.metadata.namespace,
    unseen: [...unseen],
  };
}

function isAtWork({ spec, metadata }: Deployment): boolean {
  return spec?.replicas !== 0 || metadata.annotations?.[REPLICAS_ANNOTATION] !== undefined;
}

/** As far as this machine's clock can tell. */
function isHeld({ spec }: Lease): boolean {
  const { holderIdentity, renewTime, leaseDurationSeconds = 0 } = spec ?? {};
  if (!holderIdentity || !renewTime) return false;
  return Date.parse(String(renewTime)) + leaseDurationSeconds * 1000 > Date.now();
}

/** What is registered for an address of this machine is left from a desk here that ended without a word. */
function isElsewhere(config: WebhookClientConfig | undefined): boolean {
  if (!config) return false;
  if (!config.url) return true;
  const { hostname } = new URL(config.url);
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  return !own.includes(hostname.replace(/^\[|\]$/g, ''));
}

function title({ kind, metadata: { name, namespace } }: KubernetesObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** Who may not look learns nothing, and says so. */
interface Looking {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly unseen: Set<string>;
}

async function listed<T extends KubernetesObject>(
  looking: Looking,
  type: ResourceType<T>,
  selection: { labelSelector?: string; fieldSelector?: string },
): Promise<T[]> {
  const { client, signal } = looking;
  const list = client.list<T>(type, { ...selection, signal });
  const { items } = await list.catch(nothingIfForbidden(looking, type, { items: [] as T[] }));
  return items.map((item) => ({ ...item, kind: type.kind }));
}

async function found<T extends KubernetesObject>(looking: Looking, type: ResourceType<T>, name: string): Promise<T[]> {
  const { client, signal } = looking;
  const object = await client.find<T>(type, { name }, { signal }).catch(nothingIfForbidden(looking, type, undefined));
  return object ? [object] : [];
}

function nothingIfForbidden<R>({ unseen }: Looking, { kind }: ResourceType, nothing: R): (error: unknown) => R {
  return (error) => {
    if (!hasCode(error, 'KUR_CLIENT_FORBIDDEN')) throw error;
    unseen.add(kind);
    return nothing;
  };
}
