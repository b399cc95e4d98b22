/**
 * Where the API server is: as the operator itself reaches it, and as the cluster says. Read anew from time to time, because
 * control planes move; by rights that the operator has anyway, unless it works in some namespaces only.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Client, EndpointSlice, type Log, Service } from '@kurator/sdk';

/** What is needed to look for it. */
interface Asking {
  readonly client: Client;
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
}

const FRESH_FOR = 60_000;
const PATIENCE = 5000;
const namespace = 'default';
const name = 'kubernetes';

/** Knows the addresses of one API server. */
export class ApiServer {
  readonly #now: () => number;
  #names: readonly string[] = [];
  #service: readonly string[] = [];
  #endpoints: readonly string[] = [];
  #isToldOf = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Its names and addresses: that of its Service, and what the operator itself uses. */
  addresses(): readonly string[] {
    return [...this.#names, ...this.#service];
  }

  /** Where it listens, and what its names lead to. These are addresses of machines, so pods in their machine's network may have them too. */
  endpoints(): readonly string[] {
    return this.#endpoints;
  }

  /** Looks for it, unless that was done lately. What can't be found out stays as it was, and is said once. */
  async find(asking: Asking): Promise<void> {
    if (this.#now() - this.#askedAt <= FRESH_FOR) return await this.#asking;
    this.#askedAt = this.#now();
    this.#asking = this.#read(asking);
    await this.#asking;
  }

  async #read({ client, log, signal }: Asking): Promise<void> {
    const own = new URL(client.config.server).hostname.replace(/^\[(.*)\]$/, '$1');
    this.#names = [own, process.env.KUBERNETES_SERVICE_HOST ?? ''].filter((host) => host !== '');
    const resolved = (await Promise.all(this.#names.filter((host) => isIP(host) === 0).map(addressesOf))).flat();
    try {
      const [service, endpoints] = await Promise.all([
        serviceAddresses(client, signal),
        endpointAddresses(client, signal),
      ]);
      this.#service = service;
      this.#endpoints = [...endpoints, ...resolved];
      this.#isToldOf = false;
    } catch (error) {
      this.#endpoints = [...new Set([...this.#endpoints, ...resolved])];
      // Whoever asked has gone, which says nothing: the next one asks again.
      if (signal.aborted) this.#askedAt = Number.NEGATIVE_INFINITY;
      if (signal.aborted || this.#isToldOf) return;
      this.#isToldOf = true;
      log.warn(
        `the endpoints of the API server are not known, so that hooks and channels could name them: allow the operator to get the Service ${name} and to list EndpointSlices in namespace ${namespace}`,
        { error },
      );
    }
  }
}

async function serviceAddresses(client: Client, signal: AbortSignal): Promise<string[]> {
  const service = await client.find(Service, { name, namespace }, { signal, timeout: PATIENCE });
  const { clusterIP, clusterIPs = [] } = service?.spec ?? {};
  return [...clusterIPs, ...(clusterIP ? [clusterIP] : [])];
}

async function endpointAddresses(client: Client, signal: AbortSignal): Promise<string[]> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const { items } = await client.list(EndpointSlice, { namespace, labelSelector, signal, timeout: PATIENCE });
  return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
}

/** Of a name that can't be resolved just now there is nobody to talk to either. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
