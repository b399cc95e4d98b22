import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { extract, type Header } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/images/temporary.ts';
import { silent } from '../../reporter.ts';
import { folderEntries } from './folder-entries.ts';
import { IMAGE_TIME } from './oci.ts';
import { fileEntry, type TarEntry, tarStream } from './tar-writer.ts';

async function readBack(entries: TarEntry[]): Promise<Header[]> {
  const archive = extract();
  archive.end(await buffer(tarStream(entries)));
  const headers: Header[] = [];
  for await (const entry of archive) {
    headers.push(entry.header);
    entry.resume();
  }
  return headers;
}

describe('tarStream', () => {
  it('keeps every mode and owner, and gives everything the same time', async () => {
    const id = fc.nat(2 ** 32 - 2);
    await fc.assert(
      fc.asyncProperty(fc.nat(0o7777), id, id, async (mode, uid, gid) => {
        const [header] = await readBack([{ ...fileEntry('a', 'text', mode), uid, gid }]);
        const large = (header?.pax ?? {}) as { uid?: string; gid?: string };
        expect(header).toMatchObject({ mode, mtime: IMAGE_TIME });
        expect(Number(large.uid ?? header?.uid)).toBe(uid);
        expect(Number(large.gid ?? header?.gid)).toBe(gid);
      }),
      { examples: [[0, 0, 0]] },
    );
  });

  it.each([
    ['shrank', 'x'],
    ['grew', 'x'.repeat(50)],
  ])('fails when a file %s between the look and the reading', async (_, text) => {
    const entry: TarEntry = {
      path: 'log',
      type: 'file',
      mode: 0o644,
      size: 10,
      content: () => Readable.from([Buffer.from(text)]),
    };
    await expect(buffer(tarStream([entry]))).rejects.toMatchObject({
      code: 'KUR_TESTENV_IMAGE_SOURCE',
      message: expect.stringContaining('log changed while'),
    });
  });
});

describe('folderEntries', () => {
  it('sorts by name, so that the order does not depend on the disk', async () => {
    const folder = await temporaryFolder();
    const names = Array.from({ length: 200 }, (_, number) => `file${(number * 7919) % 200}`);
    await mkdir(join(folder, 'sub'));
    for (const name of names) await writeFile(join(folder, 'sub', name), '');
    const entries = await folderEntries(folder, { at: '', uid: 0, gid: 0, reporter: silent });
    expect(entries.map(({ path }) => path)).toEqual(['sub', ...names.map((name) => `sub/${name}`).sort()]);
  });
});
