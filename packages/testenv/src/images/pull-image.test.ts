import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machinePlatform, sha256 } from '@kurator/registry';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { pullImage } from './pull-image.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'kurator-pull-'));
  vi.stubEnv('XDG_CACHE_HOME', join(place, 'a/b/c/cache'));
  // Where a path that goes up from the cache would lead.
  await mkdir(join(place, 'victim'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(place, { recursive: true, force: true });
});

/** A registry that gives whatever it likes; what it was asked for is kept. */
async function registryOf(answers: Readonly<Record<string, string>>): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const text = answers[url.replace('/v2/demo/web/', '')];
    response.writeHead(text === undefined && !url.includes('blobs') ? 404 : 200).end(text ?? 'hostile');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const config = JSON.stringify({ rootfs: { diff_ids: ['sha256:0'] } });
const hostile = [
  `sha256:${'/..'.repeat(12)}${'/tmp/x'}`,
  'sha256:../../../../../../../victim/file',
  'sha256:',
  `sha256:${'A'.repeat(64)}`,
  `sha512:${'a'.repeat(64)}`,
  '',
  undefined,
];

it.each(hostile)('refuses a layer whose digest is %j before it asks for it, and writes nothing', async (digest) => {
  const manifest = JSON.stringify({ config: { digest: sha256(config) }, layers: [{ mediaType: 'layer', digest }] });
  const { url, asked } = await registryOf({ 'manifests/v1': manifest, [`blobs/${sha256(config)}`]: config });
  await expect(pullImage(url, 'demo/web:v1')).rejects.toMatchObject({ code: 'KUR_REGISTRY_BAD_CONTENT' });
  expect(asked).toEqual(['/v2/demo/web/manifests/v1']);
  expect(await readdir(join(place, 'victim'))).toEqual([]);
});

it.each(hostile)('refuses an index that names an image by %j', async (digest) => {
  const index = JSON.stringify({ manifests: [{ digest, platform: machinePlatform() }] });
  const { url, asked } = await registryOf({ 'manifests/v1': index });
  await expect(pullImage(url, 'demo/web:v1')).rejects.toMatchObject({ code: 'KUR_REGISTRY_BAD_CONTENT' });
  expect(asked).toEqual(['/v2/demo/web/manifests/v1']);
});
