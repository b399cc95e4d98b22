/** The objects that every cluster with nodes begins with: who may do what, cluster DNS, and each node's pod range. */
import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  EndpointSlice,
  Node,
  Service,
  ServiceAccount,
  waitFor,
} from '@kurator/client';
import { patient } from '../internal/patience.ts';
import type { AddressPlan } from '../machines/addresses.ts';
import { identities } from './control-plane/pki.ts';
import type { ClusterNode } from './node/node.ts';

const fieldManager = 'kurator-testenv';

/** Milliseconds. */
const WAIT = 60_000;

export async function applyRoles(client: Client): Promise<void> {
  await client.apply(
    ClusterRole,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'kurator:coredns' },
      rules: [
        { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    { fieldManager },
  );
  await Promise.all([
    bindUser(client, 'kurator:coredns', identities.dns.commonName),
    bindUser(client, 'system:kubelet-api-admin', identities.kubeletClient.commonName),
  ]);
}

async function bindUser(client: Client, role: string, user: string): Promise<void> {
  await client.apply(
    ClusterRoleBinding,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    },
    { fieldManager },
  );
}

const dnsPorts = [
  { name: 'dns', port: 53, protocol: 'UDP' as const },
  { name: 'dns-tcp', port: 53, protocol: 'TCP' as const },
];

/** CoreDNS runs beside the control plane, not in a pod: so its Service has its endpoint written by hand. */
export async function applyDnsService(client: Client, plan: AddressPlan): Promise<void> {
  const metadata = { name: 'kube-dns', namespace: 'kube-system' };
  await client.apply(
    Service,
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: plan.dnsService, ports: dnsPorts } },
    { fieldManager },
  );
  await client.apply(
    EndpointSlice,
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [plan.controlPlane], conditions: { ready: true } }],
      ports: dnsPorts,
    },
    { fieldManager },
  );
}

export const corefile = (kubeconfig: string) => `.:53 {
  errors
  health :8080
  ready :8181
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig}
    pods verified
    ttl 5
  }
  cache 5
  loadbalance
}
`;

/** Waits until the node has joined, tells it its pod range, and waits until it takes pods. */
export async function admitNode(client: Client, node: ClusterNode, podRange: string): Promise<void> {
  const name = { name: node.name };
  const isReady = ({ status }: Node) =>
    status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  try {
    await waitFor(client, Node, name, () => true, { description: 'to join', timeout: patient(WAIT) });
    await client.patch(Node, name, { spec: { podCIDR: podRange, podCIDRs: [podRange] } });
    await waitFor(client, Node, name, isReady, { description: 'to be ready', timeout: patient(WAIT) });
  } catch (error) {
    await node.components.kubelet.assertRunning();
    throw error;
  }
}

/** Pods can be made in a namespace from the moment its default service account is there. */
export async function untilPodsCanBeMade(client: Client): Promise<void> {
  await waitFor(client, ServiceAccount, { name: 'default', namespace: 'default' }, () => true, {
    description: 'to be made',
    timeout: patient(WAIT),
  });
}
