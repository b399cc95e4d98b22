import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machinePlatform } from '@kurator/registry';
import { expect, it } from 'vitest';
import { temporaryCache, temporaryFolder } from '../../test/images/temporary.ts';
import { imageFromFolder } from './image-from-folder.ts';
import { imageFromNodeBundle } from './image-from-node-bundle.ts';
import { imagesFromArchive } from './images-from-archive.ts';
import { inspectArchive } from './inspect-archive.ts';
import { openArchive } from './internal/open-archive.ts';
import { imageForPlatforms } from './platform-index.ts';

const amd64 = { os: 'linux', architecture: 'amd64' };
const arm64 = { os: 'linux', architecture: 'arm64' };
const armV7 = { os: 'linux', architecture: 'arm', variant: 'v7' };
const elsewhere = machinePlatform().architecture === 'arm64' ? amd64 : arm64;

async function baseFor(...platforms: (typeof armV7 | typeof amd64)[]) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'main.js'), '');
  const config = { name: 'base:v1', entrypoint: ['/usr/bin/node'] };
  const images = [];
  for (const platform of platforms) images.push(await imageFromFolder(folder, config, { platform }));
  return await imageForPlatforms('base:v1', images);
}

it('has an image for each platform under one name, and the same digest each time', async () => {
  await temporaryCache();
  const image = await baseFor(amd64, arm64, armV7);
  expect(image.name).toBe('docker.io/library/base:v1');
  const { images } = await inspectArchive(image.path);
  expect(images.map(({ name, platform }) => [name, platform])).toEqual([
    [image.name, 'linux/amd64'],
    [image.name, 'linux/arm64'],
    [image.name, 'linux/arm'],
  ]);
  const index = (await openArchive(image.path)).index;
  expect(index?.blob.digest).toBe(image.digest);
  expect((await baseFor(amd64, arm64, armV7)).digest).toBe(image.digest);
});

it('gives a node the image that it can run', async () => {
  await temporaryCache();
  const [own, ...others] = await imagesFromArchive((await baseFor(amd64, arm64)).path);
  expect(others).toEqual([]);
  const { images } = await inspectArchive(own?.path ?? '');
  expect(images).toMatchObject([{ platform: `linux/${machinePlatform().architecture}` }]);
});

it('is a base for each of its platforms', async () => {
  await temporaryCache();
  const base = await baseFor(amd64, arm64);
  const bundle = join(await temporaryFolder(), 'main.js');
  await writeFile(bundle, '');
  for (const platform of [amd64, arm64]) {
    const { path } = await imageFromNodeBundle(bundle, { name: 'app:v1' }, { from: base, platform });
    expect((await inspectArchive(path)).images).toMatchObject([{ platform: `linux/${platform.architecture}` }]);
  }
  const refused = imageFromNodeBundle(bundle, { name: 'app:v1' }, { from: base, platform: armV7 });
  await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('no image for linux/arm/v7') });
});

it('can not have the Node of this machine for another one', async () => {
  await temporaryCache();
  const bundle = join(await temporaryFolder(), 'main.js');
  await writeFile(bundle, '');
  await expect(imageFromNodeBundle(bundle, { name: 'app:v1' }, { platform: elsewhere })).rejects.toMatchObject({
    code: 'KUR_TESTENV_IMAGE_SOURCE',
    message: expect.stringContaining(`not for linux/${elsewhere.architecture}`),
  });
});
