/** Somebody with a cluster's own client certificate, who reads and writes it by its gateway. */
import { request } from 'node:https';
import { type Client, Pod, Secret } from '@kurator/client';

/** One member of a cluster. */
export class EtcdAccess {
  readonly #address: string;
  readonly #serverName: string;
  readonly #credentials: { ca: Buffer; cert: Buffer; key: Buffer };

  private constructor(address: string, serverName: string, secret: Secret) {
    this.#address = address;
    this.#serverName = serverName;
    const read = (name: string) => Buffer.from(secret.data?.[name] ?? '', 'base64');
    this.#credentials = { ca: read('ca.crt'), cert: read('tls.crt'), key: read('tls.key') };
  }

  static async to(client: Client, cluster: string, namespace = 'default'): Promise<EtcdAccess> {
    const labelSelector = `etcd.kurator.sh/cluster=${cluster},etcd.kurator.sh/voter=true`;
    const [pod] = (await client.list(Pod, { namespace, labelSelector })).items;
    if (!pod?.status?.podIP) throw new Error(`the cluster ${cluster} has no member that serves clients`);
    const secret = await client.get(Secret, { name: `${cluster}-client-tls`, namespace });
    return new EtcdAccess(pod.status.podIP, `${pod.metadata.name}.${cluster}.${namespace}.svc`, secret);
  }

  async put(key: string, value: string): Promise<void> {
    await this.#ask('/v3/kv/put', { key: encoded(key), value: encoded(value) });
  }

  async get(key: string): Promise<string | undefined> {
    const { kvs } = (await this.#ask('/v3/kv/range', { key: encoded(key) })) as { kvs?: { value?: string }[] };
    return kvs?.[0] && Buffer.from(kvs[0].value ?? '', 'base64').toString();
  }

  /** Of all keys as they were at a revision. */
  async hash(revision: number): Promise<number> {
    const { hash } = (await this.#ask('/v3/maintenance/hashkv', { revision: String(revision) })) as { hash?: number };
    return Number(hash);
  }

  /** As etcd does when it finds that the data of a member differs. */
  async raise(alarm: 'CORRUPT', id: string): Promise<void> {
    const memberID = BigInt(`0x${id}`).toString();
    await this.#ask('/v3/maintenance/alarm', { action: 'ACTIVATE', memberID, alarm });
  }

  async #ask(path: string, body: object): Promise<unknown> {
    return await new Promise((resolve, reject) => {
      const sent = request(
        {
          host: this.#address,
          port: 2379,
          servername: this.#serverName,
          method: 'POST',
          path,
          agent: false,
          ...this.#credentials,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString();
            if (response.statusCode === 200) resolve(JSON.parse(text));
            else reject(new Error(`${path}: ${text}`));
          });
        },
      );
      sent.once('error', reject);
      sent.end(JSON.stringify(body));
    });
  }
}

const encoded = (text: string) => Buffer.from(text).toString('base64');
