/** Somebody who writes to etcd all the time, one key after the other, and knows which of them it was told were written. */
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Secret } from '@kurator/client';

/** A member, for whoever has a certificate. */
export interface Endpoint {
  readonly address: string;
  /** The name in its certificate. */
  readonly serverName: string;
}

/** How it went since somebody last asked to begin anew. */
export interface Written {
  /** Since the beginning. */
  readonly acknowledged: number;
  /** The longest time, in milliseconds, between two that were acknowledged. */
  readonly longestPause: number;
}

const PREFIX = 'orders/';
const BETWEEN = 50;
const PATIENCE = 1_000;

/** Where the members of a cluster are, and its clients' certificate. */
type Endpoints = (cluster: string) => readonly Endpoint[];
type Certificate = (cluster: string) => Promise<Secret>;

/** A cluster, as its clients know it. */
interface Target {
  readonly agent: Agent;
  readonly endpoints: () => readonly Endpoint[];
}

export class Writer {
  readonly #endpoints: Endpoints;
  readonly #certificate: Certificate;
  readonly #acknowledged: string[] = [];
  readonly #agents = new Map<string, Agent>();
  #lastAt = Date.now();
  #longest = 0;
  #next = 0;

  constructor(endpoints: Endpoints, certificate: Certificate) {
    this.#endpoints = endpoints;
    this.#certificate = certificate;
  }

  /** Writes until the signal. */
  async write(cluster: string, signal: AbortSignal): Promise<void> {
    const target = await this.#target(cluster);
    this.begin();
    for (let order = 1; !signal.aborted; order++) {
      const key = `${PREFIX}${String(order).padStart(6, '0')}`;
      await this.#put(key, target, signal);
      await delay(BETWEEN, undefined, { signal }).catch(() => {});
    }
  }

  async #target(cluster: string): Promise<Target> {
    const { data = {} } = await this.#certificate(cluster);
    const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
    const files = { ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') };
    const agent = this.#agents.get(cluster) ?? new Agent({ keepAlive: true, ...files });
    this.#agents.set(cluster, agent);
    return { agent, endpoints: () => this.#endpoints(cluster) };
  }

  written(): Written {
    return {
      acknowledged: this.#acknowledged.length,
      longestPause: Math.max(this.#longest, Date.now() - this.#lastAt),
    };
  }

  /** From here on pauses are measured. */
  begin(): void {
    this.#longest = 0;
    this.#lastAt = Date.now();
  }

  /** The keys that were acknowledged until now. */
  acknowledged(): readonly string[] {
    return [...this.#acknowledged];
  }

  /** Those of the keys that aren't in a cluster, as its quorum has it. */
  async missing(keys: readonly string[], cluster: string, signal: AbortSignal): Promise<string[]> {
    const target = await this.#target(cluster);
    const body = { key: base64(PREFIX), range_end: base64(PREFIX.replace('/', '0')), keys_only: true };
    const { kvs = [] } = (await this.#patiently('/v3/kv/range', body, target, signal)) as { kvs?: { key: string }[] };
    const there = new Set(kvs.map(({ key }) => Buffer.from(key, 'base64').toString()));
    return keys.filter((key) => !there.has(key));
  }

  /** The same key until somebody says that it is written: written twice it is written. */
  async #put(key: string, target: Target, signal: AbortSignal): Promise<void> {
    const value = base64(new Date().toISOString());
    await this.#patiently('/v3/kv/put', { key: base64(key), value }, target, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (signal.aborted) return;
    const now = Date.now();
    this.#longest = Math.max(this.#longest, now - this.#lastAt);
    this.#lastAt = now;
    this.#acknowledged.push(key);
  }

  /** Asks one member after the other until one answers. */
  async #patiently(path: string, body: object, { agent, endpoints }: Target, signal: AbortSignal): Promise<unknown> {
    for (;;) {
      const all = endpoints();
      const endpoint = all[this.#next++ % Math.max(1, all.length)];
      if (endpoint) {
        const answer = await ask(agent, endpoint, path, body, signal).catch(() => undefined);
        if (answer) return answer;
      }
      await delay(BETWEEN, undefined, { signal });
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

async function ask(
  agent: Agent,
  { address, serverName }: Endpoint,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<unknown> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
  const place = { host: address, port: 2379, servername: serverName, path, method: 'POST' };
  return await new Promise((resolve, reject) => {
    const sent = request({ ...place, agent, signal: patience }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.once('error', reject).once('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${serverName} answers ${answer.statusCode}`));
      });
    });
    sent.once('error', reject).end(JSON.stringify(body));
  });
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
