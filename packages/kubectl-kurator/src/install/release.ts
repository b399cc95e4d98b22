/**
 * Lets go of what Kurators have made for a `spec.service`: it stays as it is, owned by nobody. Without that, Kubernetes
 * deletes it with its Kurator. For when the operator is gone: one that runs would take it back.
 */
import {
  type Client,
  ConfigMap,
  Deployment,
  hasCode,
  isConflict,
  isNotFound,
  type KubernetesObject,
  messageOf,
  type ResourceType,
  Service,
  StatefulSet,
} from '@kurator/client';
import { CliError } from '@kurator/command';

/** All that the healer makes. */
const kinds = [Deployment, StatefulSet, Service, ConfigMap] as readonly ResourceType<KubernetesObject>[];
const fieldManager = 'kurator-cli';
/** Somebody who writes now and then is waited for; one who takes it back each time is not. */
const mostRounds = 5;

/** Something that a Kurator owns. */
interface Child {
  readonly type: ResourceType<KubernetesObject>;
  readonly object: KubernetesObject;
}

/** In all namespaces. */
export async function childrenOfKurators(client: Client, signal: AbortSignal): Promise<Child[]> {
  const children: Child[] = [];
  for (const type of kinds) {
    const { items } = await client.list(type, { metadataOnly: true, signal });
    const owned = items.filter(
      ({ metadata }) => !metadata.deletionTimestamp && metadata.ownerReferences?.some(isKurator),
    );
    children.push(...owned.map((object) => ({ type, object })));
  }
  return children;
}

/** Writes nothing; fails with `KUR_CLI_NOT_ALLOWED` where the caller may not let go of all of them. */
export async function releasable(client: Client, signal: AbortSignal): Promise<Child[]> {
  try {
    const children = await childrenOfKurators(client, signal);
    for (const child of children) await letGo(client, child, { dryRun: true, signal });
    return children;
  } catch (error) {
    throw hasCode(error, 'KUR_CLIENT_FORBIDDEN') ? notReleasable(error) : error;
  }
}

function notReleasable(cause: unknown): CliError {
  const why = messageOf(cause);
  const message = `what Kurators have made would be deleted with them, and you may not let go of it: ${why}`;
  return new CliError('KUR_CLI_NOT_ALLOWED', message, {
    remedy: 'have a role with that rule bound to you in the whole cluster; or lose it all with --delete-workloads',
    cause,
  });
}

/** Until nothing is owned by a Kurator any more. */
export async function releaseAll(client: Client, signal: AbortSignal): Promise<void> {
  let children = await childrenOfKurators(client, signal);
  for (let round = 0; children.length > 0; round++) {
    if (round === mostRounds) {
      throw new CliError('KUR_CLI_CHANGED', `somebody takes ${childTitle(children[0])} back again and again`, {
        remedy: 'end the Kurator operator that still runs somewhere, then run the command again; no CRD was deleted',
      });
    }
    for (const child of children) await letGo(client, child, { dryRun: false, signal });
    children = await childrenOfKurators(client, signal);
  }
}

/** `Deployment shop/web` */
export function childTitle(child: Child | undefined): string {
  const { name, namespace } = child?.object.metadata ?? {};
  return `${child?.type.kind} ${namespace}/${name}`;
}

/** As it was read, or not at all: whoever has written it since is read first. */
async function letGo(
  client: Client,
  { type, object: { metadata } }: Child,
  { dryRun, signal }: { dryRun: boolean; signal: AbortSignal },
): Promise<void> {
  const { uid, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((one) => !isKurator(one));
  const patch = { metadata: { uid, resourceVersion, ownerReferences: others } };
  try {
    await client.patch(type, metadata, patch, { fieldManager, dryRun, signal });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

function isKurator({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
  return kind === 'Kurator' && apiVersion.startsWith('kurator.sh/');
}
