/**
 * Certificates by cert-manager: three are asked for (all members, clients, the operator as root), as objects of a kind that need not be
 * served here, and what cert-manager puts into their Secrets is used as if somebody had given it.
 */
import {
  type AuthorContext,
  type ConditionClaim,
  checksum,
  hasCode,
  type KubernetesObject,
  type ResourceType,
} from '@kurator/sdk';
import type { Given } from '../children/certificates.ts';
import { PEER_NAME } from '../children/member.ts';
import { clientServiceOf, labelsOf, ROOT } from '../children/names.ts';
import { EtcdCluster } from '../resources.ts';
import { givenTrust, isLacking, type Lacking } from './given.ts';

interface CertificateObject extends KubernetesObject {
  readonly spec?: object;
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** Of cert-manager, as far as it is read here. */
export const Certificate: ResourceType<CertificateObject> = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  plural: 'certificates',
  namespaced: true,
};

/** On a Certificate: what it was asked for. */
const ASKED = 'etcd.kurator.sh/asked';
const WHO = ['member', 'client', 'root'] as const;
type Who = (typeof WHO)[number];

const issuedSecretOf = ({ metadata }: EtcdCluster, who: Who) => `${metadata.name}-${who}-issued`;

export async function issuedTrust(cluster: EtcdCluster, context: AuthorContext, now: number): Promise<Given | Lacking> {
  const said = new Map<Who, string>();
  for (const who of WHO) {
    const certificate = await askFor(cluster, who, context).catch((error) => {
      if (isUnserved(error)) return undefined;
      throw error;
    });
    if (!certificate) return NOT_SERVED;
    const ready = certificate.status?.conditions?.find(({ type }) => type === 'Ready');
    said.set(who, ready?.message ?? 'cert-manager has said nothing of it yet');
  }
  const names = { member: issuedSecretOf(cluster, 'member'), client: issuedSecretOf(cluster, 'client') };
  const trust = await givenTrust(cluster, names, context, now);
  if (isLacking(trust)) return waiting(trust, cluster, said);
  const own = await givenTrust(cluster, { ...names, client: issuedSecretOf(cluster, 'root') }, context, now);
  if (isLacking(own)) return waiting(own, cluster, said);
  return { ...trust, operator: own.client };
}

/** Made where there is none, and told anew where the spec says something else. */
async function askFor(cluster: EtcdCluster, who: Who, { client, signal }: AuthorContext): Promise<CertificateObject> {
  const { name: owner, namespace = '', uid = '' } = cluster.metadata;
  const name = issuedSecretOf(cluster, who);
  const spec = specOf(cluster, who);
  const asked = checksum(spec);
  const present = await client.find(Certificate, { name, namespace }, { signal });
  if (present?.metadata.annotations?.[ASKED] === asked) return present;
  const { apiVersion, kind } = EtcdCluster;
  const ownerReferences = [{ apiVersion, kind, name: owner, uid, controller: true, blockOwnerDeletion: true }];
  const metadata = { name, namespace, labels: labelsOf(cluster), annotations: { [ASKED]: asked }, ownerReferences };
  return await client.apply(Certificate, { metadata, spec }, { fieldManager: 'etcd-operator', force: true, signal });
}

function specOf(cluster: EtcdCluster, who: Who): object {
  const { name, namespace } = cluster.metadata;
  const { issuerRef } = cluster.spec.tls;
  const service = clientServiceOf(cluster);
  const servers = {
    commonName: PEER_NAME,
    dnsNames: [
      `*.${name}.${namespace}.svc`,
      ...['', `.${namespace}`, `.${namespace}.svc`].map((rest) => `${service}${rest}`),
      'localhost',
    ],
    ipAddresses: ['127.0.0.1'],
    usages: ['digital signature', 'key encipherment', 'server auth', 'client auth'],
  };
  const clients = {
    commonName: who === 'root' ? ROOT : 'client',
    usages: ['digital signature', 'key encipherment', 'client auth'],
  };
  return {
    secretName: issuedSecretOf(cluster, who),
    secretTemplate: { labels: labelsOf(cluster) },
    ...(who === 'member' ? servers : clients),
    privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
    issuerRef,
  };
}

/** The API server knows no such kind; or did until a moment ago. */
const isUnserved = (error: unknown) =>
  hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND') || hasCode(error, 'KUR_CLIENT_NOT_FOUND');

const lacks = (reason: string, message: string): Lacking => ({
  lacks: { type: 'CertificatesReady', status: 'False', reason, message } satisfies ConditionClaim,
});
const NOT_SERVED = lacks(
  'CertManagerMissing',
  'spec.tls.provider: the API server serves no Certificate of cert-manager.io/v1: install cert-manager',
);

/** It is cert-manager that is waited for, and not a person, until a Secret is there that does not fit. */
function waiting(trust: Lacking, cluster: EtcdCluster, said: ReadonlyMap<Who, string>): Lacking {
  if (trust.lacks.reason === 'CertificateUnfit') return trust;
  const words = WHO.map((who) => `${issuedSecretOf(cluster, who)}: ${said.get(who)}`).join('; ');
  return lacks('Issuing', `waits for cert-manager: ${words}`);
}
