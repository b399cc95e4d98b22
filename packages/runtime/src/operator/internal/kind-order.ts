/** In which order children are made unless their author says otherwise: what others need first. */
import type { ResourceType } from '@kurator/client';

// Each line needs nothing of those below it.
const order: readonly (readonly string[])[] = [
  ['Namespace', 'CustomResourceDefinition', 'PriorityClass', 'StorageClass'],
  ['ResourceQuota', 'LimitRange', 'NetworkPolicy', 'ServiceAccount'],
  ['Role', 'ClusterRole'],
  ['RoleBinding', 'ClusterRoleBinding'],
  ['Secret', 'ConfigMap', 'PersistentVolume', 'PersistentVolumeClaim'],
  ['Service', 'PodDisruptionBudget'],
  ['Pod', 'ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'],
];
// They point at what is above them.
const last = new Set([
  'Ingress',
  'HorizontalPodAutoscaler',
  'APIService',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
]);
const ranks = new Map(order.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank])));

/** The smaller the sooner. Custom kinds come after workloads: they may be what somebody else makes workloads of. */
export function rankOf({ kind }: Pick<ResourceType, 'kind'>): number {
  return ranks.get(kind) ?? (last.has(kind) ? order.length + 1 : order.length);
}
