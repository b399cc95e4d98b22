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
}

/** @param own What our own holders of the Lease begin with. */
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
  const labelled = await listed(client, Deployment, { labelSelector, signal });
  const deployments = labelled.filter(isAtWork);
  const leases = await listed(client, Lease, { fieldSelector: `metadata.name=${name}`, signal });
  const held = leases.filter((lease) => isHeld(lease) && !lease.spec?.holderIdentity?.startsWith(own));
  const configurations = [
    ...(await found(client, ValidatingWebhookConfiguration, name, signal)),
    ...(await found(client, MutatingWebhookConfiguration, name, signal)),
  ].filter(({ webhooks = [] }) => webhooks.some(({ clientConfig }) => isElsewhere(clientConfig)));
  const definitions = (
    await Promise.all(crds.map((crd) => found(client, CustomResourceDefinition, crd, signal)))
  ).flat();
  const converted = definitions.filter(({ spec }) => isElsewhere(spec.conversion?.webhook?.clientConfig));
  return {
    titles: [...deployments, ...held, ...configurations, ...converted].map(title),
    deployments,
    leaseNamespace: deployments[0]?.metadata.namespace ?? leases[0]?.metadata.namespace,
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

/** Who may not look learns nothing, and is stopped by the Lease at the latest. */
async function listed<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  options: { labelSelector?: string; fieldSelector?: string; signal: AbortSignal },
): Promise<T[]> {
  const { items } = await client.list<T>(type, options).catch(nothingIfForbidden({ items: [] as T[] }));
  return items.map((item) => ({ ...item, kind: type.kind }));
}

async function found<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  name: string,
  signal: AbortSignal,
): Promise<T[]> {
  const object = await client.find<T>(type, { name }, { signal }).catch(nothingIfForbidden(undefined));
  return object ? [object] : [];
}

function nothingIfForbidden<R>(nothing: R): (error: unknown) => R {
  return (error) => {
    if (hasCode(error, 'KUR_CLIENT_FORBIDDEN')) return nothing;
    throw error;
  };
}
