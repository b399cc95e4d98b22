import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../test/binaries/child.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { ownerToken } from '../process/owner.ts';
import { type LayerStore, nameOf, openLayerStore } from './layer-store.ts';

const layer = (digit: string) => `sha256:${digit.repeat(64)}`;
let folder: string;
let store: LayerStore;

beforeEach(async () => {
  const temporary = await temporaryFolder();
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  folder = temporary.path;
  store = await openLayerStore({ folder: join(folder, 'store'), limit: 100 });
});

async function unpacked(text: string): Promise<string> {
  const files = join(folder, ownerToken());
  await mkdir(files);
  await writeFile(join(files, 'file'), text);
  return files;
}

async function add(digit: string, size: number, usedAt = 0): Promise<void> {
  await store.add(layer(digit), await unpacked(digit), size);
  await utimes(join(store.folder, nameOf(layer(digit)), 'size'), usedAt, usedAt);
}

async function layers(): Promise<string[]> {
  const names = await readdir(store.folder);
  return names
    .filter((name) => name !== 'drafts')
    .map((name) => name.slice(-1))
    .sort();
}

describe('a store of unpacked layers', () => {
  it('has what was moved into it, and nothing else', async () => {
    expect(await store.use(layer('a'))).toBe(false);
    await add('a', 10);
    expect(await store.use(layer('a'))).toBe(true);
    expect(await readFile(join(store.folder, nameOf(layer('a')), 'fs', 'file'), 'utf8')).toBe('a');
    expect(await readdir(join(store.folder, 'drafts'))).toEqual([]);
  });

  it('keeps the first of two that come at once', async () => {
    const both = [await unpacked('first'), await unpacked('second')];
    await Promise.all(both.map((files) => store.add(layer('a'), files, 1)));
    expect(await layers()).toEqual(['a']);
    expect(await readdir(join(store.folder, 'drafts'))).toEqual([]);
  });

  it('lets go what was not used longest when it grows too large', async () => {
    await add('a', 60, 3);
    await add('b', 60, 1);
    await add('c', 30, 2);
    await store.trim();
    expect(await layers()).toEqual(['a', 'c']);
  });

  it('lets nothing go that a living process uses, until that is done with it', async () => {
    await add('a', 60);
    await store.use(layer('a'));
    await add('b', 60, Date.now() / 1000 + 60);
    await store.trim();
    expect(await layers()).toEqual(['a', 'b']);
    await store.release();
    await store.trim();
    expect(await layers()).toEqual(['b']);
  });

  it('takes no dead process for a user, and sweeps what it was just moving in', async () => {
    await add('a', 60, 1);
    const user = startChild(`
      import { openLayerStore } from ${JSON.stringify(import.meta.resolve('./layer-store.ts'))};
      import { mkdir } from 'node:fs/promises';
      import { ownerToken } from ${JSON.stringify(import.meta.resolve('../process/owner.ts'))};
      const store = await openLayerStore({ folder: ${JSON.stringify(store.folder)}, limit: 0 });
      await mkdir(store.folder + '/drafts/' + ownerToken());
      console.log(await store.use(${JSON.stringify(layer('a'))}));`);
    await user.ended;
    expect(user.output()).toBe('true\n');
    await add('b', 60, Date.now() / 1000 + 60);
    await store.trim();
    expect(await layers()).toEqual(['b']);
    expect(await readdir(join(store.folder, 'drafts'))).toEqual([]);
  });
});
