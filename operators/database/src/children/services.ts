/** Where clients go: `-rw` to the primary, `-ro` to the replicas, `-r` to any instance that serves. And a word to those who drain nodes. */
import type { Manifest, PodDisruptionBudget, Service } from '@kurator/sdk';
import type { PostgresCluster } from '../resources.ts';
import { BRAIN_PORT, DATABASE_PORT, labelsOf, ownName, peerServiceOf, ROLE } from './names.ts';

const database = { name: 'postgresql', port: DATABASE_PORT };

/** Each with the labels that a pod must bear beside the cluster's own. */
const roles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rw: { [ROLE]: 'primary' },
  ro: { [ROLE]: 'replica' },
  r: {},
};

export function serviceManifests(cluster: PostgresCluster): Manifest<Service>[] {
  const labels = labelsOf(cluster);
  const forClients = Object.entries(roles).map(([suffix, role]) => ({
    metadata: { name: `${cluster.metadata.name}-${suffix}`, labels },
    spec: { selector: { ...labels, ...role }, ports: [database] },
  }));
  const forInstances = {
    metadata: { name: peerServiceOf(cluster), labels },
    spec: {
      clusterIP: 'None',
      // They speak to each other before they are ready: that is how they get ready.
      publishNotReadyAddresses: true,
      selector: labels,
      ports: [database, { name: 'brain', port: BRAIN_PORT }],
    },
  };
  return [...forClients, forInstances];
}

/** One at a time, whoever drains nodes. */
export function budgetOf(cluster: PostgresCluster): Manifest<PodDisruptionBudget> {
  const labels = labelsOf(cluster);
  return {
    metadata: { name: ownName(cluster), labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}
