/** Who sends or receives packets: a pod, a machine of the cluster, or a range of addresses. */
import { isIPv4 } from 'node:net';
import { TestenvError } from '../../error.ts';

/** A pod, by its name. */
export interface PodEndpoint {
  pod: string;
  /** Default: `default`. */
  namespace?: string;
}

/** A machine: a node, or the control plane's, which is called `cp`. */
export interface NodeEndpoint {
  node: string;
  /** Whether its pods count as well as its own programs, such as the kubelet. Default: yes. */
  pods?: boolean;
}

/** Addresses as they are on the wire: never a Service's, which is replaced by a pod's before. */
export interface AddressEndpoint {
  /** `10.1.2.3` or `10.1.2.0/24`. */
  address: string;
}

/** One end of a network: a pod, a machine or a range of addresses. */
export type Endpoint = PodEndpoint | NodeEndpoint | AddressEndpoint;

/** A single thing, or a list. */
export type OneOrMore<T> = T | readonly T[];

/** One is a list of one; none is an empty list. */
export function listOf<T>(value: OneOrMore<T> | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/**
 * Reads `pod/NAME`, `pod/NAMESPACE/NAME`, `node/NAME`, `kubelet/NAME` (a node without its pods), an IPv4 address or a
 * range of them: how the command line writes an endpoint.
 */
export function parseEndpoint(text: string): Endpoint {
  if (isAddressRange(text)) return { address: text };
  const [kind, first, second, ...rest] = text.split('/');
  if (first && rest.length === 0) {
    if (kind === 'pod' && second) return { pod: second, namespace: first };
    if (kind === 'pod' && second === undefined) return { pod: first };
    if (kind === 'node' && second === undefined) return { node: first };
    if (kind === 'kubelet' && second === undefined) return { node: first, pods: false };
  }
  throw new TestenvError('KUR_TESTENV_FAULT_REQUEST', `"${text}" is neither a pod, a node nor an address`, {
    remedy: 'write pod/NAME, pod/NAMESPACE/NAME, node/NAME, kubelet/NAME or an IPv4 address or range',
  });
}

/** Whether a text is an IPv4 address or a range in CIDR notation. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (!isIPv4(address) || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,2}$/.test(prefix) && Number(prefix) <= 32);
}

/** `pod default/web`, `node n1`. */
export function describeEndpoint(endpoint: Endpoint): string {
  if ('pod' in endpoint) return `pod ${endpoint.namespace ?? 'default'}/${endpoint.pod}`;
  if ('address' in endpoint) return endpoint.address;
  return endpoint.pods === false ? `node ${endpoint.node} without its pods` : `node ${endpoint.node}`;
}

/** Several in one phrase: `pod default/web and node n1`. */
export function describeEndpoints(endpoints: OneOrMore<Endpoint> | undefined): string {
  return listOf(endpoints).map(describeEndpoint).join(' and ');
}
