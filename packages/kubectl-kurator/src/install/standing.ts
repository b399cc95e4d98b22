/** What of Kurator is in a cluster before anything is done to it. */

import { labelsOf, namespaceOf, type OperatorDescription } from '@kurator/cli/toolchain';
import { type Client, Deployment, hasCode } from '@kurator/client';
import { CliError } from '@kurator/command';

/** Kurator's own Deployment, if it is there; refuses one that Helm keeps, for two can't keep it. */
export async function standingOf(
  client: Client,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<Deployment | undefined> {
  const reference = { name: description.name, namespace: namespaceOf(description) };
  const live = await client.find(Deployment, reference, { signal });
  if (live) refuseHelms(live);
  return live;
}

/** Kurators of other namespaces; undefined for who may not look there. */
export async function elsewhereOf(
  client: Client,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<Deployment[] | undefined> {
  const { version: _, ...labels } = description;
  const labelSelector = Object.entries(labelsOf(labels))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  try {
    const { items } = await client.list(Deployment, { labelSelector, signal });
    return items.filter(({ metadata }) => metadata.namespace !== namespaceOf(description));
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_FORBIDDEN')) return undefined;
    throw error;
  }
}

/** Roles and definitions are the whole cluster's: what Helm keeps in another namespace is the same ones. */
export function refuseHelms({ metadata }: Deployment): void {
  const { labels = {}, namespace } = metadata;
  if (labels['app.kubernetes.io/managed-by'] !== 'Helm') return;
  const release = labels['app.kubernetes.io/instance'] ?? 'kurator';
  throw new CliError('KUR_CLI_CONFLICT', `Kurator was installed by Helm, as the release ${release} in ${namespace}`, {
    remedy: `go on with Helm: helm upgrade ${release} -n ${namespace}, helm uninstall ${release} -n ${namespace}`,
  });
}
