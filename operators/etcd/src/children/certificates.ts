/** Who believes whom: an authority of the cluster's own, a certificate for each member and one for clients. */
import {
  bundleOf,
  createAuthority,
  hasSigned,
  isFor,
  issueLeaf,
  type KeyPair,
  type LeafRequest,
  type LeafSecret,
  leafData,
  leafFromData,
  type Policy,
  type Ring,
  renewalTime,
  ringData,
  ringFromData,
} from '@kurator/pki';
import { type Manifest, parseDuration, type Secret } from '@kurator/sdk';
import type { Credentials } from '../database/etcd-client.ts';
import type { EtcdCluster } from '../resources.ts';
import { PEER_NAME } from './member.ts';
import {
  authoritySecretOf,
  clientSecretOf,
  clientServiceOf,
  hostOf,
  labelsOf,
  memberSecretOf,
  ROOT,
  rootSecretOf,
} from './names.ts';

/** Certificates that somebody else makes and renews: one for all members, one for clients, which is the operator's too unless it has its own. */
export interface Given {
  readonly member: LeafSecret;
  readonly client: LeafSecret;
  /** Made out to root. */
  readonly operator?: LeafSecret;
}

/** Where certificates come from: an authority of the cluster's own, or somebody's hand. */
export type Trust = Ring | Given;
export const isGiven = (trust: Trust): trust is Given => !('authority' in trust);
/** The authorities that members are to believe, as PEM. */
export const believedBy = (trust: Trust): string => (isGiven(trust) ? trust.member.bundle : bundleOf(trust));

const DAY = 86_400_000;
const AUTHORITY = 3650 * DAY;
const LEAF = 365 * DAY;
/** The operator makes one for itself, keeps it in memory, and makes another before it ends. */
const OPERATOR = DAY;

/** On the Secret of the authority: which wish for another one it was made for. */
export const MADE_FOR = 'etcd.kurator.sh/authority-made-for';

export function newAuthority({ metadata }: EtcdCluster, now: number): KeyPair {
  const { name, namespace } = metadata;
  return createAuthority({ name: `etcd ${namespace}/${name}`, lifetime: AUTHORITY, now });
}

/** A new authority; never applied over one that is there. */
export function authorityManifest(cluster: EtcdCluster, now: number): Manifest<Secret> {
  const ring: Ring = { authority: newAuthority(cluster, now) };
  const annotations = { [MADE_FOR]: cluster.spec.tls.authority };
  return {
    metadata: { name: authoritySecretOf(cluster), labels: labelsOf(cluster), annotations },
    data: ringData(ring),
  };
}

/** How quickly one authority follows another: clients can't be seen, and are waited for by time. */
export const policyOf = ({ spec }: EtcdCluster): Policy => ({
  lifetime: LEAF,
  overlap: parseDuration(spec.tls.overlap),
});

/** Undefined for a Secret that no authority can be read from. */
export const readAuthority = (secret: Secret | undefined): Ring | undefined => ringFromData(secret?.data);

/** With both uses: a member is its peers' client, and its own gateway's. */
function memberCertificate(cluster: EtcdCluster, member: string, now: number): LeafRequest {
  const { namespace } = cluster.metadata;
  const service = clientServiceOf(cluster);
  const names = [
    hostOf(cluster, member),
    ...['', `.${namespace}`, `.${namespace}.svc`].map((rest) => `${service}${rest}`),
  ];
  return {
    commonName: PEER_NAME,
    names: [...names, 'localhost', '127.0.0.1'],
    usages: ['server', 'client'],
    lifetime: LEAF,
    now,
  };
}

const clientCertificate = (now: number): LeafRequest => ({
  commonName: 'client',
  usages: ['client'],
  lifetime: LEAF,
  now,
});

/** The Secret of a member, or undefined if the one that is there will do. */
export function memberSecret(
  cluster: EtcdCluster,
  member: string,
  trust: Trust,
  present: Secret | undefined,
  now: number,
) {
  if (isGiven(trust)) return copyOf(cluster, memberSecretOf(member), trust.member, present);
  const request = memberCertificate(cluster, member, now);
  return secretOf(cluster, memberSecretOf(member), request, trust, present, now);
}

/** The Secret that clients mount, or undefined if the one that is there will do. */
export function clientSecret(cluster: EtcdCluster, trust: Trust, present: Secret | undefined, now: number) {
  const name = clientSecretOf(cluster);
  if (isGiven(trust)) return copyOf(cluster, name, trust.client, present);
  return secretOf(cluster, name, clientCertificate(now), trust, present, now);
}

/** The Secret that whoever administers it mounts, where etcd has users; or undefined if the one that is there will do. */
export function rootSecret(cluster: EtcdCluster, trust: Trust, present: Secret | undefined, now: number) {
  if (isGiven(trust)) return trust.operator && copyOf(cluster, rootSecretOf(cluster), trust.operator, present);
  const request = { commonName: ROOT, usages: ['client'], lifetime: LEAF, now } as const;
  return secretOf(cluster, rootSecretOf(cluster), request, trust, present, now);
}

/** What is given is copied: pods mount Secrets of the same names, whoever has made what is in them. */
function copyOf(cluster: EtcdCluster, name: string, leaf: LeafSecret, present: Secret | undefined) {
  const stored = leafFromData(present?.data);
  if (stored?.pair.pem === leaf.pair.pem && stored.bundle === leaf.bundle) return undefined;
  return { metadata: { name, labels: labelsOf(cluster) }, type: 'kubernetes.io/tls', data: leafData(leaf) };
}

function secretOf(
  cluster: EtcdCluster,
  name: string,
  request: LeafRequest,
  ring: Ring,
  present: Secret | undefined,
  now: number,
): Manifest<Secret> | undefined {
  const stored = leafFromData(present?.data);
  const bundle = bundleOf(ring);
  const isKept = stored !== undefined && isGood(stored.pair, request, ring, now);
  if (isKept && stored.bundle === bundle) return undefined;
  // Whom to believe changes more often than who one is: while authorities follow each other, before and after.
  const pair = isKept ? stored.pair : issueLeaf(ring.authority, request);
  return {
    metadata: { name, labels: labelsOf(cluster) },
    type: 'kubernetes.io/tls',
    data: leafData({ pair, bundle }),
  };
}

function isGood({ certificate }: KeyPair, request: LeafRequest, { authority }: Ring, now: number): boolean {
  return (
    now < renewalTime(certificate) &&
    hasSigned(authority.certificate, certificate) &&
    isFor(certificate, { organizations: [], names: [], ...request })
  );
}

/** What the operator shows to members. */
export function operatorCredentials(trust: Trust, now: number): Credentials {
  if (isGiven(trust)) {
    const { pair, bundle } = trust.operator ?? trust.client;
    return { ca: bundle, cert: pair.pem, key: pair.exportKey() };
  }
  const ring = trust;
  const request = { commonName: ROOT, usages: ['client'], lifetime: OPERATOR, now } as const;
  const pair = issueLeaf(ring.authority, request);
  return { ca: bundleOf(ring), cert: pair.pem, key: pair.exportKey() };
}

/** By the authority that is to come: a member that takes it believes that one already. */
export function nextCredentials(ring: Ring, now: number): Credentials | undefined {
  return ring.next && { ...operatorCredentials({ authority: ring.next.authority }, now), ca: bundleOf(ring) };
}
