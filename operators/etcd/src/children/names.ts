/** What everything of a cluster is called. */
import { randomBytes } from 'node:crypto';
import type { EtcdCluster } from '../resources.ts';

export { CLIENT_PORT } from '../database/etcd-client.ts';

export const LABEL = 'etcd.kurator.sh/cluster';
/** On a cluster: a defragmentation is asked for by writing something else there. */
export const DEFRAGMENT = 'etcd.kurator.sh/defragment';
/** On the pods that clients are led to. */
export const VOTER = 'etcd.kurator.sh/voter';

export const PEER_PORT = 2380;
/** Probes and metrics, without TLS: nothing can be read or written there. */
export const METRICS_PORT = 2381;

export const labelsOf = ({ metadata }: EtcdCluster) => ({
  'app.kubernetes.io/name': 'etcd',
  'app.kubernetes.io/instance': metadata.name,
  [LABEL]: metadata.name,
});

/** Whether it is a member's, and not of something else that the cluster has. */
export const isMember = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> | undefined } }) =>
  metadata.labels?.['app.kubernetes.io/name'] === 'etcd';

/** The name of a member among all pods of the cluster. */
export const hostOf = ({ metadata: { name, namespace } }: EtcdCluster, member: string) =>
  `${member}.${name}.${namespace}.svc`;
export const peerUrlOf = (cluster: EtcdCluster, member: string) => `https://${hostOf(cluster, member)}:${PEER_PORT}`;
/** Undefined for an URL that no member of this cluster is given. */
export function memberOfPeerUrl(cluster: EtcdCluster, url: string): string | undefined {
  const member = url.slice('https://'.length).split('.', 1)[0] ?? '';
  return member !== '' && peerUrlOf(cluster, member) === url ? member : undefined;
}
export const clientServiceOf = ({ metadata }: EtcdCluster) => `${metadata.name}-client`;
export const authoritySecretOf = ({ metadata }: EtcdCluster) => `${metadata.name}-ca`;
export const clientSecretOf = ({ metadata }: EtcdCluster) => `${metadata.name}-client-tls`;
/** With the certificate of root; made where etcd has users. */
export const rootSecretOf = ({ metadata }: EtcdCluster) => `${metadata.name}-root-tls`;
/** What pods of the operator's show to members. */
export const operatorSecretOf = (cluster: EtcdCluster) =>
  cluster.spec.auth ? rootSecretOf(cluster) : clientSecretOf(cluster);
export const memberSecretOf = (member: string) => `${member}-tls`;

/** Whom etcd takes the operator for, by its certificate, where it has users. */
export const ROOT = 'root';

// Without vowels, so that no word comes out, and without what looks alike.
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** The cluster's name and ten letters by lot. */
export const drawMemberName = ({ metadata }: EtcdCluster): string => `${metadata.name}-${drawLetters(10)}`;

/** So many by lot. */
export function drawLetters(count: number): string {
  const letters: string[] = [];
  while (letters.length < count) {
    // Bytes beyond the last whole multiple would make some letters likelier.
    for (const byte of randomBytes(16)) {
      const letter = byte < LETTERS.length * 9 ? LETTERS[byte % LETTERS.length] : undefined;
      if (letter && letters.length < count) letters.push(letter);
    }
  }
  return letters.join('');
}
