import { stringify } from 'yaml';
import type { KeyPair } from './certificates.ts';

export interface KubeconfigOptions {
  cluster: string;
  user: string;
  server: string;
  /** PEM. */
  authority: string;
  credentials: KeyPair;
}

/** A kubeconfig that needs no other file beside it. */
export function kubeconfigYaml({ cluster, user, server, authority, credentials }: KubeconfigOptions): string {
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': cluster,
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: user,
        user: {
          'client-certificate-data': base64(credentials.certificate),
          'client-key-data': base64(credentials.key),
        },
      },
    ],
    contexts: [{ name: cluster, context: { cluster, user } }],
  });
}
