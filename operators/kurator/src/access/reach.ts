/**
 * Which addresses the operator talks to for others. It stands where those who write Kurators and channels don't: what is
 * on its own machine, on the link, on nodes and at the API server is not for them to ask about through it.
 */
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Pod } from '@kurator/sdk';

/** Never anybody's service: this machine, the link, groups, everybody, and where clouds answer their machines. */
const never: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '::',
  '::1',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254',
  // Tunnels and translators, which hide an address of IPv4 where it can't be told, or nobody needs it any more.
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
];
/** Prefixes behind which IPv6 hides addresses of IPv4: they end with it. */
const translated = ['::ffff:0:0/96', '::/96', '64:ff9b::/96'];
/** Nodes come and go, and to ask for a thousand of them is some work. */
const FRESH_FOR = 10_000;

/** What is allowed besides, and what is not. */
export interface ReachSettings {
  /** Addresses and ranges, such as `10.0.0.5` or `10.0.0.0/24`, that may be talked to though they are refused otherwise. */
  readonly allow?: readonly string[];
  /** Names and addresses of the API server. */
  readonly apiServer?: () => readonly string[];
  /** Addresses of nodes, and of what else is on them, as they are known now. */
  readonly nodes?: () => readonly string[];
  /** Whether pods in their node's network may be asked at its address; they are not unless given. */
  readonly hostNetwork?: boolean;
  readonly now?: () => number;
}

/** Whose address it is: of a pod that is in its node's network, or of whatever else. */
export type Holder = 'host pod' | 'other';

export function holderOf({ spec }: Pod): Holder {
  return spec?.hostNetwork ? 'host pod' : 'other';
}

/** An address is not to be talked to. */
export class AddressRefused extends Error {
  readonly code = 'KUR_ADDRESS_REFUSED';
}

/** Says what may be talked to, and looks names up so that nothing else is. */
export class Reach {
  readonly #allowed: BlockList;
  readonly #never = blockListOf(never);
  readonly #settings: Required<Omit<ReachSettings, 'allow'>>;
  #apiServer = new BlockList();
  #apiServerNames: ReadonlySet<string> = new Set();
  #nodes = new BlockList();
  #readAt = Number.NEGATIVE_INFINITY;

  /** @throws TypeError for what is neither an address nor a range. */
  constructor({ allow = [], ...settings }: ReachSettings = {}) {
    this.#allowed = blockListOf(allow);
    this.#settings = { apiServer: () => [], nodes: () => [], hostNetwork: false, now: Date.now, ...settings };
  }

  /** Whether a literal address must not be talked to. */
  refuses(address: string, holder: Holder = 'other'): boolean {
    if (this.#allows(address)) return false;
    this.#refresh();
    const all = [address, ...hiddenIn(address)];
    const mayBeNode = holder === 'host pod' && this.#settings.hostNetwork;
    const refused = [this.#never, this.#apiServer, ...(mayBeNode ? [] : [this.#nodes])];
    return refused.some((list) => all.some((each) => isIn(list, each)));
  }

  #allows(address: string): boolean {
    return [address, ...hiddenIn(address)].some((each) => isIn(this.#allowed, each));
  }

  /** @throws AddressRefused if the host is an address that must not be talked to. Names are looked at by {@link lookup}. */
  check(host: string): void {
    const address = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) !== 0 && this.refuses(address)) throw new AddressRefused('the address is not allowed');
  }

  /** For sockets: what it gives is what is connected to, so a name can't mean one thing first and another later. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const isApiServer = this.#isApiServer(hostname);
      const allowed = found.filter(({ address }) => (isApiServer ? this.#allows(address) : !this.refuses(address)));
      const [first] = allowed;
      if (!first) return callback(new AddressRefused('the address is not allowed'), '');
      if (options.all) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };

  /** By its name: which addresses that has may change from one look to the next. */
  #isApiServer(hostname: string): boolean {
    this.#refresh();
    return this.#apiServerNames.has(plainName(hostname));
  }

  #refresh(): void {
    const { apiServer, nodes, now } = this.#settings;
    if (now() - this.#readAt <= FRESH_FOR) return;
    const isAddress = (text: string) => isIP(text) !== 0;
    const servers = apiServer();
    this.#apiServer = blockListOf(servers.filter(isAddress));
    this.#apiServerNames = new Set(servers.filter((text) => !isAddress(text)).map(plainName));
    this.#nodes = blockListOf(nodes().filter(isAddress));
    this.#readAt = now();
  }
}

function plainName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const version = isIP(address);
    const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix);
    const isRange = version !== 0 && Number.isInteger(bits) && bits >= 0 && bits <= (version === 4 ? 32 : 128);
    if (!isRange) throw new TypeError(`allowAddresses: "${range}" is no address and no range such as 10.0.0.0/24`);
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

const hiding = blockListOf(translated);

/** The address of IPv4 that one of IPv6 stands for. */
function hiddenIn(address: string): string[] {
  if (isIP(address) !== 6 || !hiding.check(address, 'ipv6')) return [];
  // The URL parser writes the last 32 bits as two groups, whatever they were written as.
  const groups =
    new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1).split('::').at(-1)?.split(':') ?? [];
  const [high = 0, low = 0] = [...Array(2).fill('0'), ...groups]
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16));
  return [[high >> 8, high & 255, low >> 8, low & 255].join('.')];
}
