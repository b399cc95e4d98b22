/** Certificates that somebody else makes: read from the Secrets that are named, and held to what members and clients need. */
import { judge, leafFromData } from '@kurator/pki';
import { type AuthorContext, type ConditionClaim, Secret } from '@kurator/sdk';
import type { Given, Trust } from '../children/certificates.ts';
import { PEER_NAME } from '../children/member.ts';
import { hostOf } from '../children/names.ts';
import type { EtcdCluster } from '../resources.ts';

/** Why there are no certificates. */
export interface Lacking {
  readonly lacks: ConditionClaim;
}
export const isLacking = (trust: Trust | Lacking): trust is Lacking => 'lacks' in trust;

export const GIVEN: ConditionClaim = {
  type: 'CertificatesReady',
  status: 'True',
  reason: 'Given',
  message: 'as they are in the Secrets that somebody else writes',
};

export async function givenTrust(
  cluster: EtcdCluster,
  secret: Readonly<Record<'member' | 'client', string>> | undefined,
  { client, signal }: AuthorContext,
  now: number,
): Promise<Given | Lacking> {
  const { namespace = '' } = cluster.metadata;
  const leaves = new Map<string, Given['member']>();
  for (const field of ['member', 'client'] as const) {
    const name = secret?.[field] ?? '';
    const place = cluster.spec.tls.provider === 'Secret' ? `spec.tls.secret.${field}: ` : '';
    const where = `${place}the Secret ${name}`;
    const found = await client.find(Secret, { name, namespace }, { signal });
    if (!found) return lacks('SecretMissing', `${where} is not there: make it, with tls.crt, tls.key and ca.crt`);
    const leaf = leafFromData(found.data);
    if (!leaf)
      return lacks('SecretUnreadable', `${where} has no tls.crt with its tls.key and a ca.crt: give all three`);
    const wrong = field === 'member' ? wrongForMember(cluster, leaf, now) : wrongFor(leaf, 'client', undefined, now);
    if (wrong) return lacks('CertificateUnfit', `${where}: ${wrong}`);
    leaves.set(field, leaf);
  }
  const [member, own] = [leaves.get('member'), leaves.get('client')];
  return member && own ? { member, client: own } : lacks('SecretMissing', 'spec.tls.secret: name both Secrets');
}

/** A member is a server for all, and a client of the others. Its pod may have any name of the cluster's. */
function wrongForMember(cluster: EtcdCluster, leaf: Given['member'], now: number): string | undefined {
  const { commonName } = leaf.pair.certificate;
  if (commonName !== PEER_NAME) return `its common name is "${commonName}": members know each other by ${PEER_NAME}`;
  const host = hostOf(cluster, `${cluster.metadata.name}-any`);
  return wrongFor(leaf, 'server', host, now) ?? wrongFor(leaf, 'client', 'localhost', now);
}

function wrongFor(
  { pair, bundle }: Given['member'],
  usage: 'server' | 'client',
  name: string | undefined,
  now: number,
) {
  const [finding] = judge(pair.certificate, { bundle, now, usage, ...(name ? { name } : {}) });
  return finding && `${finding.message}: have it made anew`;
}

const lacks = (reason: string, message: string): Lacking => ({
  lacks: { type: 'CertificatesReady', status: 'False', reason, message },
});
