import type { KeyPair } from '@kurator/pki';
import { stringify } from 'yaml';

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
          'client-certificate-data': base64(credentials.pem),
          'client-key-data': base64(credentials.exportKey()),
        },
      },
    ],
    contexts: [{ name: cluster, context: { cluster, user } }],
  });
}
