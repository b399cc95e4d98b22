import { copyFile, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { machinePlatform } from '@kurator/registry';
import { describe, expect, it } from 'vitest';
import { dockerSave, ociArchive } from '../../test/images/foreign-archives.ts';
import { temporaryCache, temporaryFolder } from '../../test/images/temporary.ts';
import { imageFromFolder } from './image-from-folder.ts';
import { imagesFromArchive } from './images-from-archive.ts';
import { inspectArchive } from './inspect-archive.ts';
import { readTarIndex } from './internal/tar-index.ts';
import { fileEntry, tarStream } from './internal/tar-writer.ts';

const { architecture } = machinePlatform();

async function ownImage(size = 10_000) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'data'), Buffer.alloc(size, 'x'));
  return await imageFromFolder(folder, { name: 'web:v1' });
}

/** The path of a new file with that content. */
async function written(content: Parameters<typeof writeFile>[1]): Promise<string> {
  const path = join(await temporaryFolder(), 'image.tar');
  await writeFile(path, content);
  return path;
}

describe('inspectArchive', () => {
  it('reads what was built here', async () => {
    await temporaryCache();
    const { name, digest, path } = await ownImage();
    expect(await inspectArchive(path)).toEqual({
      path,
      format: 'oci',
      images: [{ name, digest, id: expect.any(String), platform: `linux/${architecture}`, size: 11_776, layers: 1 }],
    });
  });

  it.each([
    ['plain', false],
    ['compressed', true],
  ])('reads what docker save wrote, with %s layers, once for each name', async (_, gzip) => {
    const path = await written(dockerSave({ names: ['web:v1', 'demo/web:v2'], gzip }));
    const { format, images } = await inspectArchive(path);
    expect(format).toBe('docker');
    expect(images.map(({ name }) => name)).toEqual(['docker.io/library/web:v1', 'docker.io/demo/web:v2']);
  });

  it('takes the name from either annotation, but no bare tag for a name', async () => {
    const nameOf = async (annotations: Record<string, string>) =>
      (await inspectArchive(await written(ociArchive({ annotations })))).images[0]?.name;
    expect(await nameOf({ 'io.containerd.image.name': 'a:1' })).toBe('docker.io/library/a:1');
    expect(await nameOf({ 'org.opencontainers.image.ref.name': 'localhost/a:1' })).toBe('localhost/a:1');
    expect(await nameOf({ 'org.opencontainers.image.ref.name': 'v1' })).toBeUndefined();
  });

  it('looks into an index of several platforms, of which not all have to be there', async () => {
    const path = await written(ociArchive({ nested: true, architectures: ['arm64', 'amd64'] }));
    expect((await inspectArchive(path)).images.map(({ platform }) => platform)).toEqual(['linux/arm64', 'linux/amd64']);
  });

  it.each<[string, () => Promise<string>, string, string]>([
    ['nothing', async () => '/nowhere/image.tar', 'there is no such file', 'Check the path'],
    ['a folder', temporaryFolder, 'it is a folder', 'imageFromFolder'],
    ['an empty file', async () => await written(''), 'it is empty', 'docker save'],
    ['a text', async () => await written('hello '.repeat(500)), 'it is not a tar archive', 'docker save'],
    ['a short text', async () => await written('hello'), 'it is not a tar archive', 'docker save'],
    ['a compressed archive', async () => await written(gzipSync('x')), 'compressed with gzip', 'gzip -dc'],
    ['another archive', async () => await written(tarStream([fileEntry('a', 'b')])), 'something else', 'docker save'],
    ['a broken index', async () => await written(layout('{')), 'index.json in it is not JSON', 'docker save'],
    ['a strange index', async () => await written(layout('[1]')), 'not an index of images', 'docker save'],
    ['an empty index', async () => await written(layout('{"manifests":[]}')), 'without an image in it', 'docker save'],
    ['a manifest that is no list', async () => await written(saved('{}')), 'is not the list', 'docker save'],
    ['a manifest without layers', async () => await written(saved('[{}]')), 'is not the list', 'docker save'],
    [
      'a manifest of what is not there',
      async () => await written(saved('[{"Config":"c.json","Layers":[]}]')),
      'it has no c.json',
      'docker save',
    ],
  ])('refuses %s in one sentence, with the remedy', async (_, path, message, remedy) => {
    await expect(inspectArchive(await path())).rejects.toMatchObject({
      code: 'KUR_TESTENV_NOT_AN_IMAGE',
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    });
  });

  it('refuses an archive that was cut off, wherever that was', async () => {
    await temporaryCache();
    const { path } = await ownImage();
    const whole = (await readFile(path)).length;
    const copy = join(await temporaryFolder(), 'copy.tar');
    // The last two blocks only mark the end; without them nothing is missing yet.
    for (let length = 0; length < whole - 1024; length += 500) {
      await copyFile(path, copy);
      await truncate(copy, length);
      await expect(inspectArchive(copy), `cut off at ${length}`).rejects.toMatchObject({
        code: 'KUR_TESTENV_NOT_AN_IMAGE',
      });
    }
  });

  it('refuses an archive in which one byte of any blob was changed', async () => {
    await temporaryCache();
    const { path } = await ownImage();
    for (const [name, { offset, size }] of await readTarIndex(path)) {
      if (!name.startsWith('blobs/')) continue;
      const copy = join(await temporaryFolder(), 'copy.tar');
      await copyFile(path, copy);
      const handle = await open(copy, 'r+');
      await handle.write('#', offset + Math.floor(size / 2));
      await handle.close();
      await expect(inspectArchive(copy), name).rejects.toMatchObject({ code: 'KUR_TESTENV_NOT_AN_IMAGE' });
    }
  });
});

describe('imagesFromArchive', () => {
  it('gives our own archives back as they are', async () => {
    await temporaryCache();
    const image = await ownImage();
    expect(await imagesFromArchive(image.path)).toEqual([image]);
  });

  it.each<[string, () => Parameters<typeof writeFile>[1]]>([
    ['docker save', () => dockerSave({ names: ['web:v1'], gzip: true })],
    ['another tool', () => ociArchive({ annotations: { 'org.opencontainers.image.ref.name': 'web:v1' } })],
    ['a tool for many platforms', () => ociArchive({ nested: true, architectures: ['s390x', architecture] })],
  ])('makes an archive that every node takes out of that of %s', async (_, content) => {
    await temporaryCache();
    const path = await written(content());
    const [image] = await imagesFromArchive(path, { name: 'demo/web:v2' });
    const { format, images } = await inspectArchive(image?.path ?? '');
    expect(format).toBe('oci');
    expect(images).toEqual([
      expect.objectContaining({
        name: 'docker.io/demo/web:v2',
        platform: `linux/${architecture}`,
        digest: image?.digest,
      }),
    ]);
    const ids = (await inspectArchive(path)).images.map(({ id }) => id);
    expect(ids).toContain(images[0]?.id);
  });

  it('gives every image of an archive with several', async () => {
    await temporaryCache();
    const images = await imagesFromArchive(await written(dockerSave({ names: ['a:1', 'b:1'] })));
    expect(images.map(({ name }) => name)).toEqual(['docker.io/library/a:1', 'docker.io/library/b:1']);
    await expect(
      imagesFromArchive(await written(dockerSave({ names: ['a:1', 'b:1'] })), { name: 'c' }),
    ).rejects.toThrow("can't all be called c");
  });

  it('asks for a name where there is none', async () => {
    await temporaryCache();
    await expect(imagesFromArchive(await written(ociArchive({})))).rejects.toMatchObject({
      message: expect.stringContaining('has no name'),
      remedy: expect.stringContaining('--name'),
    });
  });

  it('refuses images that the nodes can not run', async () => {
    await temporaryCache();
    const path = await written(ociArchive({ architectures: ['s390x'] }));
    await expect(imagesFromArchive(path, { name: 'a' })).rejects.toThrow(
      `it is for linux/s390x, and the nodes here are linux/${architecture}`,
    );
  });
});

function layout(index: string) {
  return tarStream([fileEntry('oci-layout', '{}'), fileEntry('index.json', index)]);
}

function saved(manifest: string) {
  return tarStream([fileEntry('manifest.json', manifest)]);
}
