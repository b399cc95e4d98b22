/** Pulling from, and logging in to, a real registry. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { imageFromFolder, inspectArchive, pullImage, pushImage } from '../../src/images/index.ts';
import { canTestRegistry, registryOfTests } from './registry-of-tests.ts';
import { temporaryCache, temporaryFolder } from './temporary.ts';

async function webImage() {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'data'), Buffer.alloc(300_000, 'x'));
  return await imageFromFolder(folder, { name: 'demo/web:v1' }, { compress: true });
}

describe.runIf(canTestRegistry)('a registry', () => {
  const registry = registryOfTests();

  /** In front of the registry: asks for a token, and breaks off the first upload. */
  async function guarded(): Promise<{ url: string; seen: string[] }> {
    const seen: string[] = [];
    let broken = false;
    const server = createServer((asked, answer) => {
      const { method, headers, url: path = '' } = asked;
      const { port } = server.address() as AddressInfo;
      if (path.startsWith('/token')) {
        const isKnown = headers.authorization === `Basic ${Buffer.from('me:secret').toString('base64')}`;
        answer.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ token: 'let-me-in' }));
        return;
      }
      seen.push(`${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f-]{36}.*/, 'ID')}`);
      if (headers.authorization !== 'Bearer let-me-in') {
        const challenge = `Bearer realm="http://127.0.0.1:${port}/token",service="test"`;
        answer.writeHead(401, { 'www-authenticate': challenge }).end();
        return;
      }
      if (method === 'PUT' && path.includes('uploads') && !broken) {
        broken = true;
        asked.destroy();
        return;
      }
      const [host, registryPort] = registry.address.split(':');
      const passed = request({
        host,
        port: registryPort,
        method,
        path,
        headers: { ...headers, host: `127.0.0.1:${port}` },
      });
      passed.on('response', (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      });
      asked.pipe(passed);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  }

  it('gives back what was pushed, layer by layer', async () => {
    await temporaryCache();
    const image = await webImage();
    await pushImage(image, registry.url);
    const pulled = await pullImage(registry.url, 'demo/web:v1');
    expect(pulled.digest).toBe(image.digest);
    const { images } = await inspectArchive(pulled.path);
    expect(images).toHaveLength(1);
  });

  it('asks who we are, and lets in whom it knows; an upload that broke off is begun again', async () => {
    await temporaryCache();
    const image = await webImage();
    const front = await guarded();
    const target = 'guarded/web:v1';
    await expect(pushImage(image, front.url, target)).rejects.toMatchObject({ code: 'KUR_REGISTRY_DENIED' });
    const credentials = { username: 'me', password: 'secret' };
    expect(await pushImage(image, front.url, target, { credentials })).toMatchObject({ digest: image.digest });
    front.seen.length = 0;
    await pushImage(image, front.url, target, { credentials });
    expect(front.seen.filter((each) => each.startsWith('POST'))).toEqual([]);
    expect((await pullImage(registry.url, target)).digest).toBe(image.digest);
  });

  it('says that there is no such image', async () => {
    await temporaryCache();
    await expect(pullImage(registry.url, 'demo/nothing:v1')).rejects.toThrow(/answered 404/);
  });
});
