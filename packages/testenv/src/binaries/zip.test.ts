import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { zip } from '../../test/binaries/archives.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { unzip } from './zip.ts';

it('gives back every member as it went in', async () => {
  await using folder = await temporaryFolder();
  const contents = fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(contents, async (parts) => {
      const archive = join(folder.path, 'archive.zip');
      await writeFile(archive, zip(parts.map((part, index) => ({ name: `in/${index}`, content: Buffer.from(part) }))));
      expect(await unzip(archive, folder.path, (name) => name)).toBe(parts.length);
      for (const [index, part] of parts.entries()) {
        expect(await readFile(join(folder.path, 'in', String(index)))).toEqual(Buffer.from(part));
      }
    }),
    { numRuns: 20 },
  );
});

it('keeps what may be executed executable', async () => {
  await using folder = await temporaryFolder();
  const archive = join(folder.path, 'archive.zip');
  await writeFile(archive, zip([{ name: 'bin/go', content: 'program', mode: 0o755 }]));
  await unzip(archive, folder.path, () => 'go');
  expect((await stat(join(folder.path, 'go'))).mode & 0o111).toBe(0o111);
});

it.each(['../outside', '/etc/outside', 'a/../../outside'])('refuses to write to %s', async (name) => {
  await using folder = await temporaryFolder();
  const archive = join(folder.path, 'archive.zip');
  await writeFile(archive, zip([{ name, content: 'x' }]));
  await expect(unzip(archive, join(folder.path, 'inner'), (path) => path)).rejects.toMatchObject({
    code: 'KUR_TESTENV_BAD_ARCHIVE',
  });
});

it('says so where a file is no archive', async () => {
  await using folder = await temporaryFolder();
  const archive = join(folder.path, 'archive.zip');
  await writeFile(archive, '<html>not found</html>');
  await expect(unzip(archive, folder.path, (path) => path)).rejects.toMatchObject({ code: 'KUR_TESTENV_BAD_ARCHIVE' });
});
