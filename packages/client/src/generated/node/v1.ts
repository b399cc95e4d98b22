// Generated from the OpenAPI document of Kubernetes by scripts/generate-types.ts: do not edit.
import type { KubernetesObject } from '../../object.ts';
import { resourceType } from '../../resource-type.ts';
import type { Toleration } from '../core/v1.ts';

/** Overhead structure represents the resource overhead associated with running a pod. */
export interface Overhead {
  /** podFixed represents the fixed resource overhead associated with running a pod. */
  podFixed?: Record<string, string>;
}

/** RuntimeClass defines a class of container runtime supported in the cluster. */
export interface RuntimeClass extends KubernetesObject {
  /** handler specifies the underlying runtime and configuration that the CRI implementation will use to handle pods of this class. */
  handler: string;
  /** overhead represents the resource overhead associated with running a pod for a given RuntimeClass. */
  overhead?: Overhead;
  /** scheduling holds the scheduling constraints to ensure that pods running with this RuntimeClass are scheduled to nodes that support it. */
  scheduling?: Scheduling;
}
export const RuntimeClass = resourceType<RuntimeClass>('node.k8s.io/v1', 'RuntimeClass', { namespaced: false });

/** Scheduling specifies the scheduling constraints for nodes supporting a RuntimeClass. */
export interface Scheduling {
  /** nodeSelector lists labels that must be present on nodes that support this RuntimeClass. */
  nodeSelector?: Record<string, string>;
  /** tolerations are appended (excluding duplicates) to pods running with this RuntimeClass during admission, effectively unioning the set of nodes tolerated by the pod and the RuntimeClass. */
  tolerations?: Toleration[];
}
