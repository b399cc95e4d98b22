/** What is asked of an object rather than written into it: its scale, its eviction, a token of its own. */
import type { Client } from './client.ts';
import { ClientError } from './error.ts';
import type { TokenRequest } from './generated/authentication/v1.ts';
import type { Scale } from './generated/autoscaling/v1.ts';
import { Pod, ServiceAccount } from './generated/core/v1.ts';
import type { KubernetesObject } from './object.ts';
import type { RequestOptions, WriteOptions } from './options.ts';
import type { ObjectReference, ResourceType } from './resource-type.ts';

/** Reads the scale of anything that has one, without knowing where it keeps it. */
export async function getScale(
  client: Client,
  type: ResourceType,
  ref: ObjectReference,
  options: RequestOptions = {},
): Promise<Scale> {
  return await client.get(type as ResourceType<Scale>, ref, { ...options, subresource: 'scale' });
}

/** Says how many there should be. */
export async function setScale(
  client: Client,
  type: ResourceType,
  ref: ObjectReference,
  replicas: number,
  options: WriteOptions = {},
): Promise<Scale> {
  const patch = { spec: { replicas } };
  return await client.patch(type as ResourceType<Scale>, ref, patch, { ...options, subresource: 'scale' });
}

/** Options of {@link evict}. */
export interface EvictOptions extends RequestOptions {
  /** Seconds that the pod has to end; what the pod itself says unless given. */
  gracePeriodSeconds?: number;
  /** Evicts only if the pod is still the one that was seen. */
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

/**
 * Deletes a pod unless a disruption budget forbids it: then it fails, see {@link isDisruptionBudget}, and it is the
 * caller who decides how long to try.
 */
export async function evict(client: Client, pod: ObjectReference, options: EvictOptions = {}): Promise<void> {
  const { gracePeriodSeconds, preconditions, dryRun, ...request } = options;
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: pod.name, ...(pod.namespace ? { namespace: pod.namespace } : {}) },
    deleteOptions: { gracePeriodSeconds, preconditions, dryRun: dryRun ? ['All'] : undefined },
  };
  await client.create<KubernetesObject>(Pod, eviction, { ...request, subresource: 'eviction' });
}

/** True for the failure of an eviction that a disruption budget forbids for now. */
export function isDisruptionBudget(error: unknown): error is ClientError {
  return error instanceof ClientError && error.causes.some(({ reason }) => reason === 'DisruptionBudget');
}

/** Options of {@link requestToken}. */
export interface TokenOptions extends RequestOptions {
  /** Whom the token is for; the API server itself unless given. */
  audiences?: readonly string[];
  /** An hour unless given; the server may give less or more, ten minutes at least. */
  expirationSeconds?: number;
  /** The token dies with this object. */
  boundObject?: { apiVersion: string; kind: 'Pod' | 'Secret' | 'Node'; name: string; uid?: string };
}

/** A token of a service account, and when it ends (RFC 3339). */
export interface IssuedToken {
  readonly token: string;
  readonly expirationTimestamp: string;
}

/** Asks for a new token of a service account. */
export async function requestToken(
  client: Client,
  serviceAccount: ObjectReference,
  options: TokenOptions = {},
): Promise<IssuedToken> {
  const { audiences = [], expirationSeconds, boundObject, ...request } = options;
  const wanted = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {
      name: serviceAccount.name,
      ...(serviceAccount.namespace ? { namespace: serviceAccount.namespace } : {}),
    },
    spec: {
      audiences: [...audiences],
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      ...(boundObject ? { boundObjectRef: boundObject } : {}),
    },
  };
  const type = ServiceAccount as ResourceType<KubernetesObject> as ResourceType<TokenRequest>;
  const { status } = await client.create(type, wanted, { ...request, subresource: 'token' });
  if (status?.token) return { token: status.token, expirationTimestamp: status.expirationTimestamp ?? '' };
  throw new ClientError(
    'KUR_CLIENT_BAD_RESPONSE',
    `the server gave no token for ServiceAccount ${serviceAccount.name}`,
  );
}
