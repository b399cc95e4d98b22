/** Who may read metrics that not everybody may: a role for it, and for Prometheus an account that has it and nothing else. */
import type { ClusterRole, ClusterRoleBinding, KubernetesObject, Secret, ServiceAccount } from '@kurator/client';
import { labelsOf, namespaceOf, type OperatorDescription } from './description.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;

/** What role, account and token are called. */
export function metricsReader({ name }: Pick<OperatorDescription, 'name'>): string {
  return `${name}-metrics-reader`;
}

/** For whoever is to read them; nothing where anybody may. */
export function metricsReaderRole(description: OperatorDescription): ClusterRole[] {
  if (!description.authorizedMetrics) return [];
  const metadata = { name: metricsReader(description), labels: labelsOf(description) };
  return [{ apiVersion, kind: 'ClusterRole', metadata, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] }];
}

/** What the ServiceMonitor names; nothing where anybody may read them. */
export function metricsReaderAccount(description: OperatorDescription): KubernetesObject[] {
  if (!description.authorizedMetrics) return [];
  const name = metricsReader(description);
  const labels = labelsOf(description);
  const metadata = { name, namespace: namespaceOf(description), labels };
  const account: ServiceAccount = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
    automountServiceAccountToken: false,
  };
  const token: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': name } },
    type: 'kubernetes.io/service-account-token',
  };
  const binding: ClusterRoleBinding = {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: namespaceOf(description) }],
  };
  return [account, binding, token];
}
