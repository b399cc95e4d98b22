/** A client as services have it: it loads its certificate anew, tries another member where one fails, and counts what went wrong. */
import { request } from 'node:https';
import { type Client, Pod, Secret } from '@kurator/client';

/** More than an election takes; less than a person waits. */
const PATIENCE = 10_000;

export class EtcdClients {
  readonly #client: Client;
  readonly #name: string;
  readonly #ended: Promise<void>;
  #stopped = false;
  /** Requests that were answered by some member in time, and those that were not. */
  answered = 0;
  readonly failed: string[] = [];
  /** Of single tries, those at which one side did not believe the other. */
  readonly distrusted: string[] = [];

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
    this.#ended = this.#goOn();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #goOn(): Promise<void> {
    for (let i = 0; !this.#stopped; i += 1) {
      await this.#put(`key-${i % 100}`).then(
        () => {
          this.answered += 1;
        },
        ({ message }: Error) => this.failed.push(message),
      );
      // Some ten in a second: there is other work to do on this machine.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #put(key: string): Promise<void> {
    const until = Date.now() + PATIENCE;
    const body = { key: Buffer.from(key).toString('base64'), value: Buffer.from(`${Date.now()}`).toString('base64') };
    for (let tries = 0; ; tries += 1) {
      try {
        const pods = await this.#members();
        const pod = pods[tries % pods.length];
        if (!pod) throw new Error('there is no member');
        return await ask(pod, '/v3/kv/put', body, await this.#credentials());
      } catch (error) {
        const { message } = error as Error;
        // Whoever ends in the middle of a handshake distrusts nobody.
        if (/certificate|self.signed|SSL|tlsv1/i.test(message)) this.distrusted.push(message);
        if (Date.now() > until) throw error;
      }
    }
  }

  async #members() {
    const labelSelector = `etcd.kurator.sh/cluster=${this.#name},etcd.kurator.sh/voter=true`;
    const { items } = await this.#client.list(Pod, { namespace: 'default', labelSelector });
    return items.flatMap(({ metadata, status }) =>
      status?.podIP && !metadata.deletionTimestamp
        ? [{ host: status.podIP, servername: `${metadata.name}.${this.#name}.default.svc` }]
        : [],
    );
  }

  async #credentials() {
    const { data = {} } = await this.#client.get(Secret, { name: `${this.#name}-client-tls`, namespace: 'default' });
    const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
    return { ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') };
  }
}

/** Asks one member once, over a connection of its own. */
function ask(
  where: { readonly host: string; readonly servername: string },
  path: string,
  body: object,
  credentials: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const options = {
    port: 2379,
    method: 'POST',
    path,
    headers,
    agent: false as const,
    signal: AbortSignal.timeout(3_000),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ ...where, ...options, ...credentials }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}
