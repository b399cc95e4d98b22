/**
 * Everything secret of one cluster, made anew for it and written into its folder,
 * readable by its owner alone.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyPair } from '@kurator/pki';
import { clusterAuthority, createSigningKey, issueFor } from '../certificates.ts';
import { kubeconfigYaml } from '../kubeconfig.ts';

export interface Identity {
  commonName: string;
  organizations?: readonly string[];
}

/** Who the parts of a cluster are to the API server: names that its built-in roles know. */
export const identities = {
  admin: { commonName: 'kurator-admin', organizations: ['system:masters'] },
  controllerManager: { commonName: 'system:kube-controller-manager' },
  scheduler: { commonName: 'system:kube-scheduler' },
  proxy: { commonName: 'system:kube-proxy' },
  dns: { commonName: 'kurator:coredns' },
  kubeletClient: { commonName: 'kurator:kubelet-client' },
  node: (name: string) => ({ commonName: `system:node:${name}`, organizations: ['system:nodes'] }),
} satisfies Record<string, Identity | ((name: string) => Identity)>;

/** Who the API server is to the servers that it passes requests on to. */
export const frontProxyName = 'front-proxy-client';

export interface Pki {
  readonly folder: string;
  readonly authority: KeyPair;
  /** Signs those who may speak for others: the API server to the servers it aggregates. */
  readonly frontProxyAuthority: KeyPair;
  /** The path of a file in the folder. */
  file(name: string): string;
  /** Writes `NAME.crt` and `NAME.key`. */
  writePair(name: string, pair: KeyPair): Promise<void>;
  /** A kubeconfig, as YAML, for an identity. */
  kubeconfig(identity: Identity): Promise<string>;
  /** Writes `NAME.kubeconfig` for an identity and returns its path. */
  writeKubeconfig(name: string, identity: Identity): Promise<string>;
}

export interface PkiOptions {
  folder: string;
  cluster: string;
  /** The API server's URL, as every client of this cluster uses it. */
  server: string;
  /** The addresses that the API server is reached at. */
  addresses: readonly string[];
}

const apiServerNames = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

export async function createPki({ folder, cluster, server, addresses }: PkiOptions): Promise<Pki> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const authority = clusterAuthority(`kurator-${cluster}`);
  const frontProxyAuthority = clusterAuthority(`${cluster}-front-proxy`);
  const signing = createSigningKey();
  const file = (name: string) => join(folder, name);
  const write = (name: string, text: string) => writeFile(file(name), text, { mode: 0o600 });
  const pki: Pki = {
    folder,
    authority,
    frontProxyAuthority,
    file,
    async writePair(name, pair) {
      await Promise.all([write(`${name}.crt`, pair.pem), write(`${name}.key`, pair.exportKey())]);
    },
    async kubeconfig(identity) {
      const credentials = issueFor(authority, identity);
      const user = identity.commonName;
      return kubeconfigYaml({ cluster, user, server, authority: authority.pem, credentials });
    },
    async writeKubeconfig(name, identity) {
      await write(`${name}.kubeconfig`, await pki.kubeconfig(identity));
      return file(`${name}.kubeconfig`);
    },
  };

  await Promise.all([
    pki.writePair('ca', authority),
    write('front-proxy-ca.crt', frontProxyAuthority.pem),
    write('service-accounts.key', signing.privateKey),
    write('service-accounts.pub', signing.publicKey),
    pki.writePair(
      'apiserver',
      issueFor(authority, { commonName: 'kube-apiserver', names: [...apiServerNames, ...addresses] }),
    ),
    pki.writePair('kubelet-client', issueFor(authority, identities.kubeletClient)),
    pki.writePair('front-proxy-client', issueFor(frontProxyAuthority, { commonName: frontProxyName })),
  ]);
  return pki;
}
