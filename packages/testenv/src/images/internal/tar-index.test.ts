import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/images/temporary.ts';
import { NotTarError, readTarIndex } from './tar-index.ts';
import { fileEntry, tarStream } from './tar-writer.ts';

const LONG = `${'folder/'.repeat(30)}${'n'.repeat(200)}`;

async function contentOf(tar: string, name: string): Promise<string | undefined> {
  const found = (await readTarIndex(tar)).get(name);
  return found && (await text(createReadStream(tar, { start: found.offset, end: found.offset + found.size - 1 })));
}

describe('readTarIndex', () => {
  it.each(['ustar', 'gnu', 'pax', 'v7'])('finds the files of an archive in the %s format', async (format) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'in', 'a'), { recursive: true });
    await writeFile(join(folder, 'in', 'a', 'one'), 'first');
    await writeFile(join(folder, 'in', 'two'), 'second');
    await symlink('../two', join(folder, 'in', 'a', 'link'));
    execFileSync('tar', ['-C', join(folder, 'in'), `--format=${format}`, '-cf', join(folder, 'x.tar'), '.']);
    expect(await contentOf(join(folder, 'x.tar'), 'a/one')).toBe('first');
    expect(await contentOf(join(folder, 'x.tar'), 'two')).toBe('second');
    expect(await contentOf(join(folder, 'x.tar'), 'a/link')).toBe('second');
  });

  it.each(['gnu', 'pax'])('reads names longer than a header in the %s format', async (format) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, LONG, '..'), { recursive: true });
    await writeFile(join(folder, LONG), 'deep');
    execFileSync('tar', ['-C', folder, `--format=${format}`, '-cf', join(folder, 'x.tar'), LONG]);
    expect(await contentOf(join(folder, 'x.tar'), LONG)).toBe('deep');
  });

  it('reads what this package writes', async () => {
    const tar = join(await temporaryFolder(), 'x.tar');
    await writeFile(tar, tarStream([fileEntry('ä/ö', 'unicode'), fileEntry(LONG, 'long'), fileEntry('empty', '')]));
    expect(await contentOf(tar, 'ä/ö')).toBe('unicode');
    expect(await contentOf(tar, LONG)).toBe('long');
    expect((await readTarIndex(tar)).get('empty')?.size).toBe(0);
  });

  it('notices that an archive was cut off', async () => {
    const tar = join(await temporaryFolder(), 'x.tar');
    await writeFile(tar, tarStream([fileEntry('a', 'x'.repeat(5000))]));
    await truncate(tar, 3000);
    await expect(readTarIndex(tar)).rejects.toThrow('cut off');
  });

  it('says of any other bytes that they are no archive, and never fails otherwise', async () => {
    const file = join(await temporaryFolder(), 'x');
    await writeFile(file, tarStream([fileEntry('a', 'b')]));
    const valid = await readFile(file);
    const damaged = fc.tuple(fc.nat(511), fc.nat(255)).map(([at, byte]) => Buffer.from(valid).fill(byte, at, at + 1));
    const rubbish = fc.uint8Array({ minLength: 512, maxLength: 2048 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(fc.oneof(rubbish, damaged), async (bytes) => {
        await writeFile(file, bytes);
        const result = await readTarIndex(file).catch((error: unknown) => error);
        expect(result instanceof Map || result instanceof NotTarError).toBe(true);
      }),
    );
  });
});
