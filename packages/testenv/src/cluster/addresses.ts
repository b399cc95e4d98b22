/**
 * Who has which address in a cluster's own /16. Pure: the same block gives the same plan.
 *
 *   10.X.0.1        the host's end          10.X.16.0/20      services (10.X.16.1 API, 10.X.16.10 DNS)
 *   10.X.0.2        the control plane       10.X.(64+n).0/24  pods of node n
 *   10.X.0.3        the registry
 *   10.X.0.(10+n)   node n, from 1
 */

/** Blocks a cluster may take: high ones, because low ones are what offices and clouds use. */
export const blocks: readonly number[] = Array.from({ length: 96 }, (_, i) => 128 + i);

/** More nodes than one machine can carry anyway. */
export const maxNodes = 32;

export interface AddressPlan {
  readonly block: number;
  readonly network: string;
  readonly prefix: 16;
  readonly host: string;
  readonly controlPlane: string;
  readonly registry: string;
  readonly services: string;
  readonly apiService: string;
  readonly dnsService: string;
  readonly pods: string;
  node(n: number): string;
  podsOf(n: number): string;
}

export function addressPlan(block: number): AddressPlan {
  const at = (rest: string) => `10.${block}.${rest}`;
  return {
    block,
    network: at('0.0/16'),
    prefix: 16,
    host: at('0.1'),
    controlPlane: at('0.2'),
    registry: at('0.3'),
    services: at('16.0/20'),
    apiService: at('16.1'),
    dnsService: at('16.10'),
    pods: at('64.0/18'),
    node: (n) => at(`0.${10 + n}`),
    podsOf: (n) => at(`${64 + n}.0/24`),
  };
}

/** The service range of a control plane without nodes: only names for addresses, nothing routes there. */
export const virtualServices = { range: '10.96.0.0/16', apiService: '10.96.0.1' } as const;

/** Whether two IPv4 ranges in CIDR notation share an address. */
export function overlaps(a: string, b: string): boolean {
  const [first, second] = [parseCidr(a), parseCidr(b)];
  const prefix = Math.min(first.prefix, second.prefix);
  const shift = BigInt(32 - prefix);
  return first.address >> shift === second.address >> shift;
}

function parseCidr(text: string): { address: bigint; prefix: number } {
  const [address = '', prefix = '32'] = text.split('/');
  const value = address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  return { address: value, prefix: Number(prefix) };
}
