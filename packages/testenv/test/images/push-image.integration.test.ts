/** Pushing to a real registry. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findArchive, imageFromFolder, imagesFromArchive, pushImage } from '../../src/images/index.ts';
import { dockerSave } from './foreign-archives.ts';
import { canTestRegistry, registryOfTests } from './registry-of-tests.ts';
import { temporaryCache, temporaryFolder } from './temporary.ts';

async function webImage(size = 100) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'data'), Buffer.alloc(size, 'x'));
  return await imageFromFolder(folder, { name: 'demo/web:v1' });
}

describe.runIf(canTestRegistry)('pushImage', () => {
  const registry = registryOfTests();

  async function manifest(name: string): Promise<Response> {
    const headers = { accept: 'application/vnd.oci.image.manifest.v1+json' };
    return await fetch(`${registry.url}/v2/${name}`, { headers });
  }

  it('puts an image where the registry gives it out under the same digest', async () => {
    await temporaryCache();
    const image = await webImage(3_000_000);
    expect(await pushImage(image, registry.url)).toEqual({
      name: `${registry.address}/demo/web:v1`,
      digest: image.digest,
    });
    const answer = await manifest('demo/web/manifests/v1');
    expect(answer.headers.get('docker-content-digest')).toBe(image.digest);
    const { layers } = (await answer.json()) as { layers: { digest: string; size: number }[] };
    for (const { digest, size } of layers) {
      const blob = await fetch(`${registry.url}/v2/demo/web/blobs/${digest}`);
      expect((await blob.arrayBuffer()).byteLength).toBe(size);
    }
  });

  it('takes another repository and tag', async () => {
    await temporaryCache();
    const { name } = await pushImage(await webImage(), registry.url, 'other/place/web:v2');
    expect(name).toBe(`${registry.address}/other/place/web:v2`);
    expect((await manifest('other/place/web/manifests/v2')).status).toBe(200);
    expect((await pushImage(await webImage(), registry.url, 'web')).name).toBe(`${registry.address}/web:latest`);
  });

  it('pushes twice without harm', async () => {
    await temporaryCache();
    const image = await webImage();
    expect(await pushImage(image, registry.url)).toEqual(await pushImage(image, registry.url));
  });

  it('puts what belongs to an image beside it, where those find it who ask', async () => {
    await temporaryCache();
    const image = await webImage();
    const bill = { artifactType: 'application/spdx+json', content: Buffer.from('{"spdxVersion":"SPDX-2.3"}') };
    for (let times = 0; times < 2; times++) await pushImage(image, registry.url, undefined, { attachments: [bill] });
    // As a registry that does not list them itself has it: under a tag that is called after the image.
    const headers = { accept: 'application/vnd.oci.image.index.v1+json' };
    const list = await fetch(`${registry.url}/v2/demo/web/manifests/${image.digest.replace(':', '-')}`, { headers });
    const { manifests } = (await list.json()) as { manifests: { digest: string; artifactType: string }[] };
    expect(manifests).toMatchObject([{ artifactType: bill.artifactType }]);
    const artifact = await manifest(`demo/web/manifests/${manifests[0]?.digest}`);
    const { subject, layers } = (await artifact.json()) as {
      subject: { digest: string };
      layers: { digest: string; mediaType: string }[];
    };
    expect(subject.digest).toBe(image.digest);
    expect(layers).toMatchObject([{ mediaType: bill.artifactType }]);
    const blob = await fetch(`${registry.url}/v2/demo/web/blobs/${layers[0]?.digest}`);
    expect(await blob.text()).toBe(bill.content.toString());
  });

  it('finds again in the cache what was built', async () => {
    await temporaryCache();
    const image = await webImage();
    expect(await findArchive('demo/web:v1')).toEqual(image);
    expect(await findArchive('demo/web:none')).toBeUndefined();
  });

  it('pushes what docker save wrote', async () => {
    await temporaryCache();
    const path = join(await temporaryFolder(), 'saved.tar');
    await writeFile(path, dockerSave({ names: ['saved:v1'], gzip: true }));
    for (const image of await imagesFromArchive(path)) await pushImage(image, registry.url);
    expect((await manifest('library/saved/manifests/v1')).status).toBe(200);
  });

  it('says that nobody answers', async () => {
    await temporaryCache();
    await expect(pushImage(await webImage(), 'http://127.0.0.1:1')).rejects.toMatchObject({
      code: 'KUR_REGISTRY_UNREACHABLE',
      message: expect.stringContaining("127.0.0.1:1 can't be reached"),
      remedy: expect.any(String),
    });
  });

  it("reports an answer that is not a registry's", async () => {
    await temporaryCache();
    const server = createServer((_, response) => response.writeHead(500).end('not here')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(pushImage(await webImage(), `http://127.0.0.1:${port}`)).rejects.toThrow(/answered 500 to HEAD/);
  });

  it.each(['127.0.0.1:5000', 'ftp://127.0.0.1', 'http://127.0.0.1:5000/v2'])(
    'refuses "%s" as a registry',
    async (wrong) => {
      await temporaryCache();
      await expect(pushImage(await webImage(), wrong)).rejects.toThrow('is not the URL of a registry');
    },
  );

  it('refuses a target that is no name', async () => {
    await temporaryCache();
    await expect(pushImage(await webImage(), registry.url, 'Web:v1')).rejects.toMatchObject({
      code: 'KUR_REGISTRY_NAME',
    });
  });

  it('stops when told to', async () => {
    await temporaryCache();
    const signal = AbortSignal.abort();
    await expect(pushImage(await webImage(), registry.url, undefined, { signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
