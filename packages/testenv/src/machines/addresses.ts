/**
 * Who has which address in a cluster's own /16. Pure: the same block gives the same plan.
 *
 *   X.Y.0.1        the host's end          X.Y.16.0/20      services (X.Y.16.1 API, X.Y.16.10 DNS)
 *   X.Y.0.2        the control plane       X.Y.(64+n).0/24  pods of node n
 *   X.Y.0.3        the registry
 *   X.Y.0.(10+n)   node n, from 1
 */

/** What a cluster's addresses begin with: `10.128` is 10.128.0.0/16. */
export type Block = `${number}.${number}`;

/**
 * Blocks a cluster may take, the best first: high ones of 10.0.0.0/8, because low ones are what offices and clouds use.
 * Where a VPN claims all of that, the other private ranges; where it claims these, too, the one for benchmarks, which
 * is nobody's on any network.
 */
export const blocks: readonly Block[] = [
  ...blocksOf(10, 128, 223),
  ...blocksOf(172, 16, 31),
  ...blocksOf(192, 168, 168),
  ...blocksOf(198, 18, 19),
];

function blocksOf(first: number, from: number, to: number): Block[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `${first}.${from + i}` as const);
}

/** The largest private range: whatever is larger speaks of the whole internet, not of a network that is there. */
const LARGEST_NETWORK = 8;

/**
 * Blocks of which no route of the machine speaks. A cluster's own route would win over a wider one, and so cut the
 * machine off from whoever is there: so a VPN's `10.0.0.0/8` counts. A VPN that wants everything (`0.0.0.0/1`) does not.
 *
 * @param routes In CIDR notation.
 */
export function freeBlocks(routes: readonly string[]): Block[] {
  const taken = routes.filter((route) => parseCidr(route).prefix >= LARGEST_NETWORK);
  return blocks.filter((block) => !taken.some((route) => overlaps(route, `${block}.0.0/16`)));
}

/** More nodes than one machine can carry anyway. */
export const maxNodes = 32;

export interface AddressPlan {
  readonly block: Block;
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

export function addressPlan(block: Block): AddressPlan {
  const at = (rest: string) => `${block}.${rest}`;
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
