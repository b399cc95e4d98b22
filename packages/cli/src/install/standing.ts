/** What of Kurator is in a cluster before anything is done to it. */
import { type Client, Deployment } from '@kurator/client';
import { CliError } from '../error.ts';
import { namespaceOf, type OperatorDescription } from '../manifests/description.ts';

/** Kurator's own Deployment, if it is there; refuses one that Helm keeps, for two can't keep it. */
export async function standingOf(
  client: Client,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<Deployment | undefined> {
  const reference = { name: description.name, namespace: namespaceOf(description) };
  const live = await client.find(Deployment, reference, { signal });
  if (live?.metadata.labels?.['app.kubernetes.io/managed-by'] !== 'Helm') return live;
  const release = live.metadata.labels['app.kubernetes.io/instance'] ?? 'kurator';
  throw new CliError('KUR_CLI_CONFLICT', `Kurator was installed here by Helm, as the release ${release}`, {
    remedy: `go on with Helm: helm upgrade ${release}, helm uninstall ${release}`,
  });
}
