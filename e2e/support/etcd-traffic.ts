/** Somebody who writes to etcd all the time, and knows what he was told was written. */
import { request } from 'node:https';
import type { Secret } from '@kurator/client';

interface Endpoint {
  address: string;
  serverName: string;
}

const PATIENCE = 5_000;

export class EtcdTraffic {
  readonly #credentials: { ca: string; cert: string; key: string };
  readonly #endpoints: () => Promise<Endpoint[]>;
  readonly #acknowledged: string[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<void>;
  #stopped = false;
  #paused = false;
  #idle: Promise<void> = Promise.resolve();

  constructor({ data = {} }: Secret, endpoints: () => Promise<Endpoint[]>) {
    const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
    this.#credentials = { ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') };
    this.#endpoints = endpoints;
    this.#ended = this.#write();
  }

  /** Resolves when so many writes have been acknowledged. */
  async until(count: number): Promise<void> {
    while (this.#acknowledged.length < count) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Reads everything that was acknowledged. */
  async check(): Promise<{ acknowledged: number; missing: string[] }> {
    const keys = [...this.#acknowledged];
    const range = { key: base64('key-'), range_end: base64('key.') };
    const { kvs = [] } = (await this.#patiently('/v3/kv/range', range)) as { kvs?: { key: string; value: string }[] };
    const there = new Map(kvs.map(({ key, value }) => [key, value]));
    const missing = keys.filter((key) => there.get(base64(key)) !== base64(key));
    return { acknowledged: keys.length, missing };
  }

  /** Reads without a certificate. */
  async asStranger(): Promise<unknown> {
    const [endpoint] = await this.#endpoints();
    if (!endpoint) throw new Error('there is no endpoint');
    return await ask(endpoint, '/v3/kv/range', { key: base64('0') }, { ca: this.#credentials.ca });
  }

  /** Resolves when nothing is under way any more. */
  async pause(): Promise<void> {
    this.#paused = true;
    await this.#idle;
  }

  resume(): void {
    this.#paused = false;
  }

  /** Writes so much to one key until that is refused with `until`, or once if that is 'the first'. Gives how often it was written. */
  async fill({ bytes, until }: { bytes: number; until: string }): Promise<number> {
    const value = Buffer.alloc(bytes, 'x').toString('base64');
    for (let count = 1; count < 1000; count += 1) {
      const refused = await this.#once('/v3/kv/put', { key: base64('large'), value }).then(
        () => (until === 'the first' ? '' : undefined),
        (error: Error) => (error.message.includes(until) ? '' : undefined),
      );
      if (refused !== undefined) return count;
    }
    throw new Error(`was never refused: ${until}`);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #write(): Promise<void> {
    for (let i = 0; !this.#stopped; i += 1) {
      const key = `key-${i}`;
      if (!this.#paused) {
        this.#idle = this.#put(key);
        await this.#idle;
      }
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
      // Some ten in a second: there is other work to do on this machine.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #put(key: string): Promise<void> {
    const written = await this.#once('/v3/kv/put', { key: base64(key), value: base64(key) }).then(
      () => true,
      () => false,
    );
    if (written) this.#acknowledged.push(key);
  }

  async #patiently(path: string, body: object): Promise<unknown> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#once(path, body);
      } catch (error) {
        if (tries > 20) throw error;
      }
    }
  }

  async #once(path: string, body: object): Promise<unknown> {
    const endpoints = await this.#endpoints();
    const endpoint = endpoints[Math.floor(Math.random() * endpoints.length)];
    if (!endpoint) throw new Error('there is no endpoint');
    return await ask(endpoint, path, body, this.#credentials);
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function ask({ address, serverName }: Endpoint, path: string, body: object, credentials: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(PATIENCE);
    const options = {
      host: address,
      port: 2379,
      servername: serverName,
      method: 'POST',
      path,
      agent: false as const,
      signal,
    };
    const sent = request({ ...options, ...credentials }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${response.statusCode}: ${text}`));
      });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}
