import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFiles } from './write-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('creates, changes and removes', async () => {
  await writeFile(join(folder, 'old'), 'old');
  await writeFile(join(folder, 'gone'), 'gone');
  await writeFiles(folder, [
    { path: 'deep/er/new', before: undefined, after: 'new' },
    { path: 'old', before: 'old', after: 'changed' },
    { path: 'gone', before: 'gone', after: undefined },
  ]);
  expect(await readFile(join(folder, 'deep/er/new'), 'utf8')).toBe('new');
  expect(await readFile(join(folder, 'old'), 'utf8')).toBe('changed');
  expect((await readdir(folder)).toSorted()).toEqual(['deep', 'old']);
});

it('changes nothing where one of the files can not be written', async () => {
  await writeFile(join(folder, 'old'), 'old');
  await writeFile(join(folder, 'file'), '');
  const changes = [
    { path: 'old', before: 'old', after: 'changed' },
    { path: 'new/a', before: undefined, after: 'a' },
    { path: 'file/b', before: undefined, after: 'b' },
  ];
  await expect(writeFiles(folder, changes)).rejects.toMatchObject({ code: 'KUR_CLI_WRITE' });
  expect((await readdir(folder)).toSorted()).toEqual(['file', 'old']);
  expect(await readFile(join(folder, 'old'), 'utf8')).toBe('old');
});
