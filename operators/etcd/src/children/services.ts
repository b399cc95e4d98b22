/** What a cluster has beside its members: two names, and a word to those who drain nodes. */
import type { Manifest, PodDisruptionBudget, Service } from '@kurator/sdk';
import { quorumOf } from '../brain/situation.ts';
import type { EtcdCluster } from '../resources.ts';
import { CLIENT_PORT, clientServiceOf, labelsOf, PEER_PORT, VOTER } from './names.ts';

/** Gives each member a name of its own, also before it is ready: it gets ready by talking to the others. */
export function memberServiceOf(cluster: EtcdCluster): Manifest<Service> {
  const labels = labelsOf(cluster);
  return {
    metadata: { name: cluster.metadata.name, labels },
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: labels,
      ports: [
        { name: 'client', port: CLIENT_PORT },
        { name: 'peer', port: PEER_PORT },
      ],
    },
  };
}

/** Where clients find whoever serves. A learner refuses what clients ask: it is not among them. */
export function clientServiceManifest(cluster: EtcdCluster): Manifest<Service> {
  const labels = labelsOf(cluster);
  return {
    metadata: { name: clientServiceOf(cluster), labels },
    spec: { selector: { ...labels, [VOTER]: 'true' }, ports: [{ name: 'client', port: CLIENT_PORT }] },
  };
}

/** So many must stay whoever drains a node. While it shrinks, those who are still there count. */
export function budgetOf(cluster: EtcdCluster, voters: number): Manifest<PodDisruptionBudget> {
  const labels = labelsOf(cluster);
  return {
    metadata: { name: cluster.metadata.name, labels },
    spec: {
      minAvailable: quorumOf(Math.max(cluster.spec.size, voters)),
      selector: { matchLabels: { ...labels, [VOTER]: 'true' } },
    },
  };
}
