import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, temporaryCache, temporaryFolder } from '../../test/images/temporary.ts';
import { imageFromFolder } from './image-from-folder.ts';
import { imageFromNodeBundle, type NodeBundleOptions, nodeInBase } from './image-from-node-bundle.ts';
import { inspectArchive } from './inspect-archive.ts';

async function bundle(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe('imageFromNodeBundle', () => {
  it.each<[string, () => Promise<string>, NodeBundleOptions, string]>([
    ['a bundle that is not there', async () => '/nowhere/main.js', {}, 'is not there'],
    ['a folder without a file to start', async () => await bundle({ 'a.js': '' }), {}, 'has no file to start'],
    ['an entry that is not there', async () => await bundle({ 'main.js': '' }), { entry: 'x.js' }, 'has no x.js'],
    ['a broken package.json', async () => await bundle({ 'package.json': '{', 'main.js': '' }), {}, 'is not JSON'],
    [
      'a node that is not there',
      async () => await bundle({ 'main.js': '' }),
      { node: '/nowhere/node' },
      'not a Linux program',
    ],
  ])('refuses %s, and leaves nothing behind', async (_, path, options, message) => {
    const cache = await temporaryCache();
    await expect(imageFromNodeBundle(await path(), { name: 'app:v1' }, options)).rejects.toMatchObject({
      code: 'KUR_TESTENV_IMAGE_SOURCE',
      message: expect.stringContaining(message),
      remedy: expect.any(String),
    });
    expect(await filesBelow(cache)).toEqual([]);
  });

  it('refuses a folder in the place of node', async () => {
    await temporaryCache();
    const folder = await bundle({ 'main.js': '' });
    await mkdir(join(folder, 'node'));
    await expect(imageFromNodeBundle(folder, { name: 'app:v1' }, { node: join(folder, 'node') })).rejects.toThrow(
      'not a Linux program',
    );
  });

  it('takes the node of a base image that says that it has one', async () => {
    await temporaryCache();
    const folder = await bundle({ 'main.js': '' });
    const from = await imageFromFolder(folder, { name: 'base:v1', entrypoint: ['/opt/bin/node'] });
    expect(await nodeInBase(from)).toBe('/opt/bin/node');
    const { path } = await imageFromNodeBundle(folder, { name: 'app:v1' }, { from, compress: true });
    expect((await inspectArchive(path)).images).toMatchObject([{ layers: 2 }]);
    expect(await nodeInBase(await imageFromFolder(folder, { name: 'other:v1' }))).toBeUndefined();
  });
});
