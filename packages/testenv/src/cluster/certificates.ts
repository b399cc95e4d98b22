/** The certificates of one cluster: an authority that lives as long as the cluster does, and what it signs. */
import { generateKeyPairSync } from 'node:crypto';
import { createAuthority, issueLeaf, type KeyPair, type LeafRequest } from '@kurator/pki';

const lifetime = 10 * 365 * 24 * 3600 * 1000;

export function clusterAuthority(name: string): KeyPair {
  return createAuthority({ name, lifetime, now: Date.now() });
}

export type ClusterCertificateRequest = Pick<LeafRequest, 'commonName' | 'organizations' | 'names'>;

/** Good for authenticating as a client, and for serving where there are names to be served under. */
export function issueFor(authority: KeyPair, request: ClusterCertificateRequest): KeyPair {
  const usages = request.names?.length ? (['server', 'client'] as const) : (['client'] as const);
  return issueLeaf(authority, { ...request, usages, lifetime, now: Date.now() });
}

/** The key that signs service-account tokens, with its public half. */
export function createSigningKey(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  });
}
