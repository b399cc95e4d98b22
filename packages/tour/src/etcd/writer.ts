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

export class Writer {
  readonly #agent: Agent;
  readonly #endpoints: () => readonly Endpoint[];
  readonly #acknowledged: string[] = [];
  #lastAt = Date.now();
  #longest = 0;
  #next = 0;

  /** @param secret With `ca.crt`, `tls.crt` and `tls.key`. */
  constructor({ data = {} }: Secret, endpoints: () => readonly Endpoint[]) {
    const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
    this.#agent = new Agent({ keepAlive: true, ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') });
    this.#endpoints = endpoints;
  }

  /** Writes until the signal. */
  async write(signal: AbortSignal): Promise<void> {
    this.begin();
    for (let order = 1; !signal.aborted; order++) {
      const key = `${PREFIX}${String(order).padStart(6, '0')}`;
      await this.#put(key, signal);
      await delay(BETWEEN, undefined, { signal }).catch(() => {});
    }
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

  /** Those of the keys that aren't there, as quorum has it. */
  async missing(keys: readonly string[], endpoints: () => readonly Endpoint[], signal: AbortSignal): Promise<string[]> {
    const body = { key: base64(PREFIX), range_end: base64(PREFIX.replace('/', '0')), keys_only: true };
    const { kvs = [] } = (await this.#patiently('/v3/kv/range', body, endpoints, signal)) as {
      kvs?: { key: string }[];
    };
    const there = new Set(kvs.map(({ key }) => Buffer.from(key, 'base64').toString()));
    return keys.filter((key) => !there.has(key));
  }

  /** The same key until somebody says that it is written: written twice it is written. */
  async #put(key: string, signal: AbortSignal): Promise<void> {
    const value = base64(new Date().toISOString());
    await this.#patiently('/v3/kv/put', { key: base64(key), value }, this.#endpoints, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (signal.aborted) return;
    const now = Date.now();
    this.#longest = Math.max(this.#longest, now - this.#lastAt);
    this.#lastAt = now;
    this.#acknowledged.push(key);
  }

  /** Asks one member after the other until one answers. */
  async #patiently(
    path: string,
    body: object,
    endpoints: () => readonly Endpoint[],
    signal: AbortSignal,
  ): Promise<unknown> {
    for (;;) {
      const all = endpoints();
      const endpoint = all[this.#next++ % Math.max(1, all.length)];
      if (endpoint) {
        const answer = await this.#ask(endpoint, path, body, signal).catch(() => undefined);
        if (answer) return answer;
      }
      await delay(BETWEEN, undefined, { signal });
    }
  }

  async #ask({ address, serverName }: Endpoint, path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
    const place = { host: address, port: 2379, servername: serverName, path, method: 'POST' };
    return await new Promise((resolve, reject) => {
      const sent = request({ ...place, agent: this.#agent, signal: patience }, (answer) => {
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

  close(): void {
    this.#agent.destroy();
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
