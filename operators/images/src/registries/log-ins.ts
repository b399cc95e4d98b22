/** The log-ins that a workload's own pods pull with, as the kubelet finds them. */
import { createHash } from 'node:crypto';
import { type CredentialSource, pullSecretCredentials } from '@kurator/registry';
import { type AuthorContext, type PodSpec, Secret, ServiceAccount } from '@kurator/sdk';

/** Who asks a registry. */
export interface LogIns {
  readonly source: CredentialSource | undefined;
  /** The same for the same log-ins: what one of them has seen is nothing to others. */
  readonly fingerprint: string;
  /** In words, for whoever is refused. */
  readonly whose: string;
}

/** The pod's own pull Secrets, or else those of its service account; those that are not there are left out, as by the kubelet. */
export async function logInsOf(
  { imagePullSecrets, serviceAccountName = 'default' }: PodSpec,
  namespace: string,
  { client, signal }: Pick<AuthorContext, 'client' | 'signal'>,
): Promise<LogIns> {
  const own = namesOf(imagePullSecrets);
  const account = { name: serviceAccountName, namespace };
  const names =
    own.length > 0 ? own : namesOf((await client.find(ServiceAccount, account, { signal }))?.imagePullSecrets);
  const texts: string[] = [];
  const found: string[] = [];
  for (const name of names) {
    const { data = {} } = (await client.find(Secret, { name, namespace }, { signal })) ?? {};
    const encoded = data['.dockerconfigjson'] ?? data['.dockercfg'];
    if (encoded === undefined) continue;
    texts.push(Buffer.from(encoded, 'base64').toString('utf8'));
    found.push(name);
  }
  return {
    source: texts.length === 0 ? undefined : pullSecretCredentials(...texts),
    fingerprint: createHash('sha256').update(JSON.stringify(texts)).digest('hex'),
    whose:
      found.length === 0
        ? `asked without a log-in, for its pods name no imagePullSecrets that are there`
        : `asked with the log-ins of Secret ${found.join(', ')}`,
  };
}

const namesOf = (secrets: readonly { readonly name?: string }[] | undefined): string[] =>
  (secrets ?? []).flatMap(({ name }) => (name ? [name] : []));
