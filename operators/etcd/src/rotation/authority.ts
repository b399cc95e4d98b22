/** The authority that the operator makes for a cluster: made once, found again, and put back where somebody has deleted it. */
import type { Ring } from '@kurator/pki';
import { type AuthorContext, isAlreadyExists, Secret, type Secret as SecretObject } from '@kurator/sdk';
import { authorityManifest, readAuthority } from '../children/certificates.ts';
import { authoritySecretOf, LABEL } from '../children/names.ts';
import { EtcdCluster } from '../resources.ts';
import type { Lacking } from './given.ts';

/** As they were last seen, by the uid of their cluster: without its authority a cluster can't be talked to any more. */
const seen = new Map<string, Pick<SecretObject, 'data' | 'metadata'>>();

/**
 * As it is stored. It is made only where there is none: asked of the API server itself, for by a cache that lags a second one would be
 * made over the first, and no member would believe another.
 */
export async function authorityOf(cluster: EtcdCluster, context: AuthorContext, now: number): Promise<Ring | Lacking> {
  const { client, get } = context;
  const { namespace = '', uid = '' } = cluster.metadata;
  const name = authoritySecretOf(cluster);
  const stored = get(Secret, { name, namespace }) ?? (await client.find(Secret, { name, namespace }));
  const secret = stored ?? (await make(cluster, context, now));
  if (!secret) {
    return lacks(
      'AuthorityMissing',
      `the Secret ${name} is gone, and members believe nobody else: put it back from a backup`,
    );
  }
  if (!isOf(cluster, secret)) {
    return lacks(
      'SecretTaken',
      `there is a Secret ${name} that is not of this cluster: name the cluster otherwise, or delete the Secret if nobody needs it`,
    );
  }
  const ring = readAuthority(secret);
  if (!ring) {
    const remedy = 'put ca.crt and ca.key back, or delete it if the cluster is new';
    return lacks('AuthorityUnreadable', `the Secret ${name} has no authority in it: ${remedy}`);
  }
  seen.set(uid, secret);
  return ring;
}

/** A new one for a new cluster; the same as before for one that has data, if this process has seen it. */
async function make(cluster: EtcdCluster, { client, event }: AuthorContext, now: number) {
  const { namespace = '', name, uid = '' } = cluster.metadata;
  const before = seen.get(uid);
  if (cluster.status?.clusterId && !before) return undefined;
  const fresh = authorityManifest(cluster, now);
  const { annotations, labels } = before?.metadata ?? fresh.metadata;
  const { apiVersion, kind } = EtcdCluster;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  const metadata = {
    ...fresh.metadata,
    namespace,
    ownerReferences: [owner],
    ...(annotations && { annotations }),
    ...(labels && { labels }),
  };
  const secret = { name: authoritySecretOf(cluster), namespace };
  try {
    const made = await client.create(Secret, { metadata, data: before?.data ?? fresh.data ?? {} });
    if (before) event('Warning', 'AuthorityPutBack', `somebody has deleted the Secret ${secret.name}: it is put back`);
    return made;
  } catch (error) {
    if (isAlreadyExists(error)) return await client.get(Secret, secret);
    throw error;
  }
}

/** By its owner; or by its label, for one that a person has put back. */
const isOf = ({ metadata }: EtcdCluster, secret: SecretObject): boolean =>
  secret.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true ||
  secret.metadata.labels?.[LABEL] === metadata.name;

const lacks = (reason: string, message: string): Lacking => ({
  lacks: { type: 'CertificatesReady', status: 'False', reason, message },
});
