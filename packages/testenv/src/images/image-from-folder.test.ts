import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { extract, type Header } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { folderSnapshot } from '../../test/images/folder-snapshot.ts';
import { filesBelow, temporaryCache, temporaryFolder } from '../../test/images/temporary.ts';
import { silent } from '../reporter.ts';
import type { ImageArchive } from './image-archive.ts';
import { imageFromFolder } from './image-from-folder.ts';
import { openArchive } from './internal/open-archive.ts';

async function lastLayer({ path }: ImageArchive) {
  const { images } = await openArchive(path, { verify: true });
  const layer = images[0]?.layers.at(-1);
  if (!layer) throw new Error('no layer');
  return layer.blob;
}

async function headersOf(image: ImageArchive): Promise<Header[]> {
  const headers: Header[] = [];
  const archive = extract();
  archive.on('entry', (header, content, next) => {
    headers.push(header);
    content.on('end', next).resume();
  });
  await pipeline((await lastLayer(image)).read(), archive as unknown as NodeJS.WritableStream);
  return headers;
}

async function unpacked(image: ImageArchive): Promise<string> {
  const folder = await mkdtemp(join(dirname(image.path), 'unpacked-'));
  const tar = `${folder}.layer`;
  await pipeline((await lastLayer(image)).read(), createWriteStream(tar));
  execFileSync('tar', ['-C', folder, '--no-same-owner', '-xpf', tar]);
  return folder;
}

async function sample(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'b', 'empty'), { recursive: true });
  await writeFile(join(folder, 'b', 'file'), 'content');
  await writeFile(join(folder, 'a'), '#!/bin/sh\n', { mode: 0o755 });
  await symlink('../a', join(folder, 'b', 'link'));
  return folder;
}

describe('imageFromFolder', () => {
  it('gives the same digest for the same content, whatever the times and the order of making', async () => {
    await temporaryCache();
    const [one, two] = [await sample(), await sample()];
    await utimes(join(two, 'a'), 1, 1);
    await rm(join(two, 'b', 'file'));
    await writeFile(join(two, 'b', 'file'), 'content');
    const images = await Promise.all([one, two].map((folder) => imageFromFolder(folder, { name: 'web:v1' })));
    expect(images[0]).toEqual(images[1]);
    await writeFile(join(two, 'b', 'file'), 'Content');
    expect((await imageFromFolder(two, { name: 'web:v1' })).digest).not.toBe(images[0]?.digest);
  });

  it('writes the same bytes into two archives', async () => {
    await temporaryCache();
    const [folder, target] = [await sample(), await temporaryFolder()];
    await imageFromFolder(folder, { name: 'web:v1' }, { output: join(target, 'one.tar') });
    await imageFromFolder(folder, { name: 'web:v1' }, { output: join(target, 'two.tar') });
    expect(await readFile(join(target, 'one.tar'))).toEqual(await readFile(join(target, 'two.tar')));
  });

  it('gives everything to root, or to the owner that is told, and puts it where it is told', async () => {
    await temporaryCache();
    const folder = await sample();
    const owners = (headers: Header[]) => [...new Set(headers.map(({ uid, gid }) => `${uid}:${gid}`))];
    expect(owners(await headersOf(await imageFromFolder(folder, { name: 'web' })))).toEqual(['0:0']);
    const owner = { uid: 1_000_650_000, gid: 101 };
    const headers = await headersOf(await imageFromFolder(folder, { name: 'web' }, { at: '/srv/www/', owner }));
    expect(headers.map(({ name }) => name)).toEqual([
      'srv/www',
      'srv/www/a',
      'srv/www/b',
      'srv/www/b/empty',
      'srv/www/b/file',
      'srv/www/b/link',
    ]);
    expect(headers[0]?.gid).toBe(101);
    expect(headers[0]?.pax).toMatchObject({ uid: '1000650000' });
  });

  it('keeps hard links as one file', async () => {
    await temporaryCache();
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'one'), 'x'.repeat(10_000));
    await link(join(folder, 'one'), join(folder, 'two'));
    const image = await imageFromFolder(folder, { name: 'web' });
    expect(await folderSnapshot(await unpacked(image))).toEqual(await folderSnapshot(folder));
    expect((await lastLayer(image)).size).toBeLessThan(20_000);
  });

  it('leaves out sockets and says so', async () => {
    await temporaryCache();
    const folder = await sample();
    const server = createServer().listen(join(folder, 'socket'));
    const said: string[] = [];
    const reporter = { ...silent, info: (message: string) => void said.push(message) };
    const image = await imageFromFolder(folder, { name: 'web:v1' }, { reporter });
    await new Promise((closed) => server.close(closed));
    expect((await headersOf(image)).map(({ name }) => name)).not.toContain('socket');
    expect(said).toEqual([expect.stringContaining('socket')]);
  });

  it('gives the folder back when the layer is unpacked', async () => {
    await temporaryCache();
    const name = fc
      .oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.stringMatching(/^[a-z]{60,200}$/))
      .filter(
        (text) => !/[/\0]|^\.\.?$|^\.wh\.|\uFFFD/.test(text) && Buffer.byteLength(text) <= 255 && text.isWellFormed(),
      );
    const permissions = fc.nat(0o7777);
    const item = fc.oneof(
      fc.record({ kind: fc.constant('file' as const), mode: permissions, content: fc.uint8Array({ maxLength: 2000 }) }),
      fc.record({ kind: fc.constant('folder' as const), mode: permissions }),
      fc.record({ kind: fc.constant('link' as const), target: fc.oneof(name, fc.constant(`/${'t'.repeat(300)}`)) }),
    );
    const tree = fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 6 }), item), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(tree, async (items) => {
        const folder = await temporaryFolder();
        for (const [parts, each] of items) await make(join(folder, ...parts), each).catch(onlyIfTaken);
        const image = await imageFromFolder(folder, { name: 'web:v1' });
        expect(await folderSnapshot(await unpacked(image))).toEqual(await folderSnapshot(folder));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['folder that is not there', async (folder: string) => join(folder, 'nowhere'), 'is not there'],
    ['file', async (folder: string) => join(folder, 'a'), 'is not a folder'],
    ['folder with a file that would delete others', withFile('.wh.a'), 'means "deleted"'],
  ])('refuses a %s, and leaves nothing behind', async (_, prepare, message) => {
    const cache = await temporaryCache();
    const folder = await prepare(await sample());
    await expect(imageFromFolder(folder, { name: 'web:v1' })).rejects.toMatchObject({
      code: 'KUR_TESTENV_IMAGE_SOURCE',
      message: expect.stringContaining(message),
      remedy: expect.any(String),
    });
    expect(await filesBelow(cache)).toEqual([]);
  });

  it('refuses a name and a place that can not be', async () => {
    await temporaryCache();
    const folder = await sample();
    await expect(imageFromFolder(folder, { name: 'Web' })).rejects.toThrow('"Web"');
    await expect(imageFromFolder(folder, { name: 'web' }, { at: 'srv' })).rejects.toThrow('`at`');
    await expect(imageFromFolder(folder, { name: 'web' }, { files: { motd: '' } })).rejects.toThrow('`files`');
  });

  it('stops when told to, and leaves nothing behind', async () => {
    const cache = await temporaryCache();
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'large'), Buffer.alloc(50_000_000));
    const stop = new AbortController();
    const build = imageFromFolder(folder, { name: 'web:v1' }, { signal: stop.signal });
    setImmediate(() => stop.abort());
    await expect(build).rejects.toMatchObject({ name: 'AbortError' });
    expect(await filesBelow(cache)).toEqual([]);
  });
});

type Item =
  | { kind: 'file'; mode: number; content: Uint8Array }
  | { kind: 'folder'; mode: number }
  | { kind: 'link'; target: string };

/** The owner may always read: otherwise only root could run this test. */
async function make(path: string, item: Item): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (item.kind === 'link') return await symlink(item.target, path);
  if (item.kind === 'folder') await mkdir(path);
  else await writeFile(path, item.content, { flag: 'wx' });
  await chmod(path, item.mode | (item.kind === 'folder' ? 0o700 : 0o400));
}

/** Two random paths can be in each other's way; everything else is a failure of the test. */
function onlyIfTaken(error: NodeJS.ErrnoException): void {
  if (!['EEXIST', 'ENOTDIR', 'ENAMETOOLONG', 'ENOENT', 'EACCES'].includes(error.code ?? '')) throw error;
}

function withFile(name: string) {
  return async (folder: string) => {
    await writeFile(join(folder, name), '');
    return folder;
  };
}
