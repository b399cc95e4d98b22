/** What brains may do at the API server: read and write one Lease, and nothing else. */
import type { Manifest, Role, RoleBinding, ServiceAccount } from '@kurator/sdk';
import type { PostgresCluster } from '../resources.ts';
import { labelsOf, ownName } from './names.ts';

const metadataOf = (cluster: PostgresCluster) => ({ name: ownName(cluster), labels: labelsOf(cluster) });

export const accountOf = (cluster: PostgresCluster): Manifest<ServiceAccount> => ({
  metadata: metadataOf(cluster),
  automountServiceAccountToken: false,
});

export const roleOf = (cluster: PostgresCluster): Manifest<Role> => ({
  metadata: metadataOf(cluster),
  rules: [
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [ownName(cluster)],
      verbs: ['get', 'update'],
    },
  ],
});

export const roleBindingOf = (cluster: PostgresCluster): Manifest<RoleBinding> => ({
  metadata: metadataOf(cluster),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: ownName(cluster) },
  subjects: [{ kind: 'ServiceAccount', name: ownName(cluster), namespace: cluster.metadata.namespace ?? '' }],
});
