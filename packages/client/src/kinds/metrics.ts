/** Current resource usage, where a metrics server runs: metrics.k8s.io. */
import type { KubernetesObject } from '../object.ts';
import { resourceType } from '../resource-type.ts';

/** CPU and memory, as quantities. */
export interface ResourceUsage {
  cpu: string;
  memory: string;
}

/** What a node uses. */
export interface NodeMetrics extends KubernetesObject {
  /** The end of the time that was measured, RFC 3339. */
  timestamp: string;
  /** Its length, for example `10.2s`. */
  window: string;
  usage: ResourceUsage;
}
export const NodeMetrics = resourceType<NodeMetrics>('metrics.k8s.io/v1beta1', 'NodeMetrics', {
  plural: 'nodes',
  namespaced: false,
});

/** What a pod's containers use. */
export interface PodMetrics extends KubernetesObject {
  /** The end of the time that was measured, RFC 3339. */
  timestamp: string;
  /** Its length, for example `10.2s`. */
  window: string;
  containers: { name: string; usage: ResourceUsage }[];
}
export const PodMetrics = resourceType<PodMetrics>('metrics.k8s.io/v1beta1', 'PodMetrics', { plural: 'pods' });
