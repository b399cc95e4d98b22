/** A registry that does what registries do, well or ill: real HTTP on loopback, and as much of the protocol as is asked. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

type Answer = { status?: number; headers?: Record<string, string>; body?: string };

/** A server that speaks as much of the protocol as is asked, and remembers what that was. */
export class FakeRegistry {
  readonly asked: string[] = [];
  readonly tags = new Map<string, string>();
  /** Answers in the place of the registry, where it gives something. */
  trouble: (path: string, authorization: string | undefined) => Answer | undefined = () => undefined;
  host = '';
  readonly #contents = new Map<string, string>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const { method = '', url = '', headers } = request;
      this.asked.push(`${method} ${url}`);
      const {
        status = 200,
        headers: given = {},
        body = '',
      } = this.trouble(url, headers.authorization) ?? this.#answer(url);
      response.writeHead(status, given).end(method === 'HEAD' ? undefined : body);
    });
  }

  async open(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  push(tag: string, content = tag): string {
    const digest = digestOf(content);
    this.tags.set(tag, digest);
    return digest;
  }

  /** A tag whose image says when it was built. */
  build(tag: string, created: string): void {
    const platform = { architecture: 'amd64', os: 'linux' };
    const config = this.#keep({ ...platform, created, rootfs: { type: 'layers', diff_ids: [] } });
    const manifest = this.#keep({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: [],
    });
    this.tags.set(tag, manifest.digest);
  }

  #keep(value: object): { digest: string; size: number } {
    const body = JSON.stringify(value);
    const digest = digestOf(body);
    this.#contents.set(digest, body);
    return { digest, size: body.length };
  }

  #answer(url: string): Answer {
    const { pathname } = new URL(url, 'http://registry');
    const blob = this.#contents.get(pathname.split('/blobs/')[1] ?? '');
    if (blob !== undefined) return { body: blob };
    if (pathname.endsWith('/tags/list')) return { body: JSON.stringify({ tags: [...this.tags.keys()] }) };
    const digest = this.tags.get(pathname.split('/manifests/')[1] ?? '');
    if (digest === undefined) return { status: 404 };
    const headers = { 'docker-content-digest': digest, 'content-type': MANIFEST };
    return { headers, body: this.#contents.get(digest) ?? '' };
  }
}

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
