/** What holds a cluster together: permissions, endpoints, leases, aggregated APIs. Fields that are used so far. */
import type { Condition, KubernetesObject } from '../object.ts';
import { resourceType } from '../resource-type.ts';

/** Verbs on resources, or on URLs, that a role allows. */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** The role that a binding grants. */
export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

/** Who a role is granted to: a user, a group or a service account. */
export interface Subject {
  kind: string;
  name: string;
  apiGroup?: string;
  namespace?: string;
}

/** What may be done in one namespace. */
export interface Role extends KubernetesObject {
  rules?: PolicyRule[];
}
export const Role = resourceType<Role>('rbac.authorization.k8s.io/v1', 'Role');

/** Grants a role in one namespace. */
export interface RoleBinding extends KubernetesObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}
export const RoleBinding = resourceType<RoleBinding>('rbac.authorization.k8s.io/v1', 'RoleBinding');

/** What may be done in the whole cluster, or in any one namespace. */
export interface ClusterRole extends KubernetesObject {
  rules?: PolicyRule[];
  aggregationRule?: Record<string, unknown>;
}
export const ClusterRole = resourceType<ClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole', {
  namespaced: false,
});

/** Grants a role in the whole cluster. */
export interface ClusterRoleBinding extends KubernetesObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}
export const ClusterRoleBinding = resourceType<ClusterRoleBinding>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  { namespaced: false },
);

/** Addresses behind a Service. */
export interface EndpointSlice extends KubernetesObject {
  addressType: 'IPv4' | 'IPv6' | 'FQDN';
  endpoints: {
    addresses: string[];
    conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
    nodeName?: string;
    targetRef?: { kind?: string; name?: string; namespace?: string; uid?: string };
  }[];
  ports?: { name?: string; port?: number; protocol?: string; appProtocol?: string }[];
}
export const EndpointSlice = resourceType<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice');

/** A group and version that another server answers for. */
export interface APIService extends KubernetesObject {
  spec?: {
    group?: string;
    version?: string;
    groupPriorityMinimum: number;
    versionPriority: number;
    /** Base64 of PEM. */
    caBundle?: string;
    insecureSkipTLSVerify?: boolean;
    service?: { name?: string; namespace?: string; port?: number };
  };
  status?: { conditions?: Condition[] };
}
export const APIService = resourceType<APIService>('apiregistration.k8s.io/v1', 'APIService', { namespaced: false });

/** A claim that must be renewed: leader election, node heartbeats. */
export interface Lease extends KubernetesObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    leaseTransitions?: number;
    /** RFC 3339 with microseconds. */
    acquireTime?: string;
    /** RFC 3339 with microseconds. */
    renewTime?: string;
  };
}
export const Lease = resourceType<Lease>('coordination.k8s.io/v1', 'Lease');
