/** What a manifest is, to the server that is to have it. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, hasCode, type KubernetesObject, type ObjectReference, type ResourceType } from '@kurator/client';
import { CliError } from '@kurator/command';

const BETWEEN_LOOKS = 200;

/** How it is asked. */
export interface KindOptions {
  readonly signal: AbortSignal;
  /** Milliseconds. What a server serves, it lists a moment later: for kinds that were only just made. Default: 0. */
  readonly patience?: number;
}

/** Fails with `KUR_CLI_UNKNOWN_KIND` if the server does not know it. */
export async function kindOf(
  client: Client,
  { apiVersion = '', kind = '' }: KubernetesObject,
  { signal, patience = 0 }: KindOptions,
): Promise<ResourceType> {
  const deadline = Date.now() + patience;
  for (;;) {
    try {
      return await client.discover(apiVersion, kind, { signal });
    } catch (error) {
      if (!hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND')) throw error;
      if (Date.now() >= deadline) throw unknownKind(kind, apiVersion, error);
      await delay(BETWEEN_LOOKS, undefined, { signal });
    }
  }
}

/** What is there of that name; nothing can be of a kind that the server doesn't know. */
export async function findLive(
  client: Client,
  type: ResourceType,
  reference: ObjectReference,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    return await client.find<KubernetesObject>(type, reference, { signal });
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND')) return undefined;
    throw error;
  }
}

const remedies: Readonly<Record<string, string>> = {
  ServiceMonitor: 'leave --service-monitor out, or install the Prometheus operator',
  ValidatingAdmissionPolicy: 'use Kubernetes 1.30 or newer, or give --no-reference-policy',
};

function unknownKind(kind: string, apiVersion: string, cause: unknown): CliError {
  return new CliError('KUR_CLI_UNKNOWN_KIND', `this cluster doesn't know ${kind} of ${apiVersion}`, {
    remedy: remedies[kind] ?? 'install it',
    cause,
  });
}
