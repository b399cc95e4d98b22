import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, temporaryCache, temporaryFolder } from '../../test/images/temporary.ts';
import { ownerToken } from '../process/owner.ts';
import { imageFromFolder } from './image-from-folder.ts';
import { inspectArchive } from './inspect-archive.ts';

async function folderWith(text: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'index.html'), text);
  return folder;
}

describe('the archives in the cache', () => {
  it('keeps an archive that is there already', async () => {
    await temporaryCache();
    const folder = await folderWith('one');
    const { path } = await imageFromFolder(folder, { name: 'web:v1' });
    const { ino } = await stat(path);
    await imageFromFolder(folder, { name: 'web:v1' });
    expect((await stat(path)).ino).toBe(ino);
  });

  it('survives builds of the same and of other content at once', async () => {
    const cache = await temporaryCache();
    const folders = await Promise.all(['one', 'two', 'one', 'two', 'one'].map(folderWith));
    const images = await Promise.all(folders.map((folder) => imageFromFolder(folder, { name: 'web:v1' })));
    expect(new Set(images.map(({ path }) => path)).size).toBe(2);
    for (const { path, digest } of images) expect((await inspectArchive(path)).images[0]?.digest).toBe(digest);
    expect(await filesBelow(cache)).toHaveLength(2);
  });

  it('lets go of archives of the same name that nobody has asked for since yesterday', async () => {
    await temporaryCache();
    const [old, recent] = [
      await imageFromFolder(await folderWith('old'), { name: 'web:v1' }),
      await imageFromFolder(await folderWith('recent'), { name: 'web:v1' }),
    ];
    const other = await imageFromFolder(await folderWith('old'), { name: 'api:v1' });
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
    for (const { path } of [old, other]) await utimes(path, twoDaysAgo, twoDaysAgo);
    const fresh = await imageFromFolder(await folderWith('new'), { name: 'web:v1' });
    expect((await readdir(dirname(fresh.path))).map((name) => join(dirname(fresh.path), name)).sort()).toEqual(
      [fresh.path, recent.path].sort(),
    );
    await expect(stat(other.path)).resolves.toBeDefined();
  });

  it('sweeps what a process that is gone left half made', async () => {
    const cache = await temporaryCache();
    const { path } = await imageFromFolder(await folderWith('one'), { name: 'web:v1' });
    // Our own process id with a start time that it never had: a process that is gone.
    const dead = ownerToken().replace(/^(\d+)-(\d+)/, '$1-1');
    const alive = ownerToken();
    for (const token of [dead, alive]) {
      await writeFile(join(dirname(path), token), 'half');
      await writeFile(join(cache, 'tmp', token), 'half');
    }
    await rm(path);
    await imageFromFolder(await folderWith('one'), { name: 'web:v1' });
    const left = await filesBelow(cache);
    expect(left.filter((file) => file.endsWith(dead))).toEqual([]);
    expect(left.filter((file) => file.endsWith(alive))).toHaveLength(2);
  });

  it('writes to the file that it is told, and replaces it as a whole', async () => {
    await temporaryCache();
    const output = join(await temporaryFolder(), 'new', 'web.tar');
    await imageFromFolder(await folderWith('one'), { name: 'web:v1' }, { output });
    const { digest, path } = await imageFromFolder(await folderWith('two'), { name: 'web:v1' }, { output });
    expect(path).toBe(output);
    expect((await inspectArchive(output)).images[0]?.digest).toBe(digest);
    expect(await readdir(dirname(output))).toEqual(['web.tar']);
  });
});

describe('an image on top of another', () => {
  it('reuses the layers of its base and adds files last', async () => {
    await temporaryCache();
    const base = await imageFromFolder(await folderWith('base'), { name: 'base:v1', entrypoint: ['/serve'] });
    const files = { '/etc/motd': 'hello', '/run.sh': { content: '#!/bin/sh\n', mode: 0o755 } };
    const image = await imageFromFolder(await folderWith('top'), { name: 'web:v1' }, { from: base, files });
    expect((await inspectArchive(image.path)).images[0]).toMatchObject({ layers: 3, name: 'docker.io/library/web:v1' });
    const again = await imageFromFolder(await folderWith('top'), { name: 'web:v1' }, { from: base.path, files });
    expect(again).toEqual(image);
  });

  it('refuses a base that is none', async () => {
    await temporaryCache();
    const build = imageFromFolder(await folderWith('top'), { name: 'web:v1' }, { from: '/nowhere.tar' });
    await expect(build).rejects.toMatchObject({ code: 'KUR_TESTENV_NOT_AN_IMAGE' });
  });
});
