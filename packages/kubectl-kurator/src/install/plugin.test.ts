import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planPlugin, putPlugin, removePlugins } from './plugin.ts';

let home: string;
let bin: string;
let script: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'kur-plugin-'));
  bin = join(home, '.local', 'bin');
  script = join(bin, 'kubectl-kurator');
  await mkdir(bin, { recursive: true });
});
afterEach(async () => await rm(home, { recursive: true, force: true }));

const plan = async (folder?: string) => await planPlugin(folder, { path: `${bin}:/nowhere`, home });

it('is put into a folder of the person that is on PATH, once, and taken away again', async () => {
  const planned = await plan();
  expect(planned).toMatchObject({ action: 'create', path: script });
  await putPlugin(planned);
  expect(await readFile(script, 'utf8')).toMatch(
    /^#!\/bin\/sh\n# Made by .*\nexec '.*' '.*kubectl-kurator\.ts' "\$@"\n$/s,
  );
  expect(await plan()).toMatchObject({ action: 'keep', path: script });
  expect(await removePlugins(`${bin}:/nowhere`)).toEqual([script]);
  expect(await plan()).toMatchObject({ action: 'create' });
});

it('leaves alone what somebody else has put there', async () => {
  await writeFile(script, '#!/bin/sh\n');
  await chmod(script, 0o755);
  const planned = await plan();
  expect(planned).toMatchObject({ action: 'keep', text: expect.stringContaining('somebody else') });
  await putPlugin({ ...planned, action: 'create', path: script });
  expect(await removePlugins(bin)).toEqual([]);
  expect(await readFile(script, 'utf8')).toBe('#!/bin/sh\n');
});

it('goes where it is told, and says what is missing for it', async () => {
  const elsewhere = join(home, 'tools');
  expect(await plan(elsewhere)).toMatchObject({
    path: join(elsewhere, 'kubectl-kurator'),
    text: expect.stringContaining(`put ${elsewhere} on your PATH`),
  });
  expect(await planPlugin(undefined, { path: '/nowhere', home })).toMatchObject({ action: 'none' });
});
