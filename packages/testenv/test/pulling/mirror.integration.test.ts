/** The mirror between nodes and a real registry on this machine, asked the way containerd asks. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { imageFromFolder, pushImage } from '../../src/images/index.ts';
import { openBlobStore } from '../../src/pulling/blob-store.ts';
import { type Mirror, startMirror, TOKEN_HEADER } from '../../src/pulling/mirror.ts';
import { openUpstream } from '../../src/pulling/upstream.ts';
import { canTestRegistry, registryOfTests } from '../images/registry-of-tests.ts';
import { temporaryCache, temporaryFolder } from '../images/temporary.ts';

async function mirrorWith(open = openUpstream, nodes = ['127.0.0.1']): Promise<Mirror> {
  const store = await openBlobStore({ folder: await temporaryFolder(), limit: 1e9 });
  const mirror = await startMirror({ address: '127.0.0.1', nodes, store, open });
  onTestFinished(() => mirror.close());
  return mirror;
}

interface Reply {
  status: number | undefined;
  reason: string | undefined;
  headers: Record<string, unknown>;
  body: string;
}

async function ask(
  { url, token }: Pick<Mirror, 'url' | 'token'>,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const outgoing = request(`${url}${path}`, { method, headers: { [TOKEN_HEADER]: token, ...headers } }).end();
  const [response] = await once(outgoing, 'response');
  const { statusCode: status, statusMessage: reason, headers: answered } = response;
  return { status, reason, headers: answered, body: await text(response) };
}

describe.runIf(canTestRegistry)('the mirror for images', () => {
  const registry = registryOfTests();

  async function pushedImage(name: string) {
    await temporaryCache();
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'data'), Buffer.alloc(200_000, name));
    return await pushImage(await imageFromFolder(folder, { name }), registry.url);
  }

  const manifests = (repository: string, reference: string) =>
    `/v2/${repository}/manifests/${reference}?ns=${registry.address}`;

  it("gives an image's manifest by tag and digest, and its layers whole and in parts", async () => {
    const { digest } = await pushedImage('demo/whole:v1');
    const mirror = await mirrorWith();
    const head = await ask(mirror, manifests('demo/whole', 'v1'), { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '', headers: { 'docker-content-digest': digest } });
    const manifest = await ask(mirror, manifests('demo/whole', digest));
    expect(manifest.headers['content-type']).toBe('application/vnd.oci.image.manifest.v1+json');
    const [layer] = JSON.parse(manifest.body).layers;
    const path = `/v2/demo/whole/blobs/${layer.digest}?ns=${registry.address}`;
    const whole = await fetch(`${mirror.url}${path}`, { headers: { [TOKEN_HEADER]: mirror.token } });
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(layer.digest);
    const part = await ask(mirror, path, { method: 'HEAD', headers: { range: 'bytes=10-' } });
    expect(part).toMatchObject({ status: 206, headers: { 'content-length': String(layer.size - 10) } });
  });

  it('fetches once what several nodes want at once, and never again what has a digest', async () => {
    const { digest } = await pushedImage('demo/once:v1');
    let fetched = 0;
    const mirror = await mirrorWith((...args) => {
      const upstream = openUpstream(...args);
      return {
        ...upstream,
        manifest: async (reference) => {
          fetched += 1;
          return await upstream.manifest(reference);
        },
      };
    });
    const replies = await Promise.all([1, 2, 3].map(() => ask(mirror, manifests('demo/once', digest))));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    await ask(mirror, manifests('demo/once', 'v1'));
    expect(fetched).toBe(1);
  });

  it('sees that a tag was moved', async () => {
    const first = await pushedImage('demo/moved:v1');
    const mirror = await mirrorWith();
    await ask(mirror, manifests('demo/moved', 'v1'));
    await temporaryCache();
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'data'), 'new');
    const second = await pushImage(await imageFromFolder(folder, { name: 'demo/moved:v1' }), registry.url);
    expect(second.digest).not.toBe(first.digest);
    const { headers } = await ask(mirror, manifests('demo/moved', 'v1'));
    expect(headers['docker-content-digest']).toBe(second.digest);
  });

  it('says what is not there, as a registry does', async () => {
    expect((await ask(await mirrorWith(), manifests('demo/gone', 'v1'))).status).toBe(404);
  });

  it('serves nobody but nodes that show the token, and nothing but images', async () => {
    await pushedImage('demo/private:v1');
    const path = manifests('demo/private', 'v1');
    const mirror = await mirrorWith();
    expect((await ask({ ...mirror, token: 'x' }, path)).status).toBe(403);
    expect((await ask(await mirrorWith(openUpstream, ['192.0.2.1']), path)).status).toBe(403);
    for (const method of ['PUT', 'POST', 'DELETE']) expect((await ask(mirror, path, { method })).status).toBe(403);
    for (const wrong of ['/v2/demo/private/tags/list', '/v2/demo/private/manifests/v1', '/etc/passwd']) {
      expect((await ask(mirror, wrong)).status, wrong).toBeGreaterThanOrEqual(400);
    }
  });

  it('passes on nothing that has another digest', async () => {
    const { digest } = await pushedImage('demo/damaged:v1');
    const mirror = await mirrorWith((...args) => {
      const upstream = openUpstream(...args);
      return { ...upstream, manifest: async () => Readable.from(['something else']) };
    });
    const { status, reason } = await ask(mirror, manifests('demo/damaged', digest));
    expect({ status, reason }).toMatchObject({
      status: 502,
      reason: expect.stringContaining('What the registry gave'),
    });
  });
});

describe('the mirror for images, where a registry does not give', () => {
  it('says in the status line that this machine could not reach it', async () => {
    const { status, reason } = await ask(await mirrorWith(), '/v2/web/manifests/v1?ns=registry.invalid', {
      method: 'HEAD',
    });
    expect(status).toBe(502);
    expect(reason).toMatch(/The registry registry\.invalid can't be reached .* from the machine this cluster runs on/);
  });

  it("asks for the pod's own secret where nobody has logged in, and shows it to the registry", async () => {
    const secret = `Basic ${Buffer.from('pod:secret').toString('base64')}`;
    const config = { mediaType: 'application/json', digest: `sha256:${'0'.repeat(64)}`, size: 2 };
    const content = JSON.stringify({ schemaVersion: 2, config, layers: [] });
    const closed = createServer((incoming, response) => {
      if (incoming.headers.authorization === secret) response.writeHead(200).end(content);
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="closed"' }).end();
    }).listen(0, '127.0.0.1');
    await once(closed, 'listening');
    onTestFinished(() => void closed.close());
    const path = `/v2/web/manifests/v1?ns=127.0.0.1:${(closed.address() as AddressInfo).port}`;
    const mirror = await mirrorWith();
    const asked = await ask(mirror, path);
    expect(asked).toMatchObject({ status: 401, headers: { 'www-authenticate': expect.stringMatching(/^Basic/) } });
    expect(await ask(mirror, path, { headers: { authorization: secret } })).toMatchObject({
      status: 200,
      body: content,
    });
    const wrong = await ask(mirror, path, { headers: { authorization: 'Basic d3Jvbmc6cGFzcw==' } });
    expect(wrong).toMatchObject({ status: 403, reason: expect.stringContaining('imagePullSecret') });
  });
});
