import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../test/binaries/child.ts';
import { recordingReporter } from '../../test/binaries/recording-reporter.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { TestenvError } from '../error.ts';
import { ownerToken } from '../process/owner.ts';
import { silent } from '../reporter.ts';
import { type EntryRecipe, findEntry, obtainEntry } from './cache.ts';

/** An entry with one file in it, which is good as long as it says so. */
function recipe(make: (folder: string) => Promise<void> = fill): EntryRecipe & { makes: () => number } {
  let count = 0;
  return {
    name: 'thing-1.0',
    title: 'thing 1.0',
    makes: () => count,
    async make(folder) {
      count += 1;
      await make(folder);
    },
    async check(folder) {
      if ((await readFile(join(folder, 'thing'), 'utf8')) === 'good') return;
      throw new TestenvError('KUR_TESTENV_BINARY_BROKEN', 'it is bad');
    },
  };
}

async function fill(folder: string): Promise<void> {
  await writeFile(join(folder, 'thing'), 'good');
}

/** What is in the cache besides the locks. */
async function entries(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'locks');
}

describe('obtainEntry', () => {
  it('makes an entry once and finds it from then on', async () => {
    await using folder = await temporaryFolder();
    const thing = recipe();
    const context = { folder: folder.path, reporter: silent };
    const paths = [await obtainEntry(context, thing), await obtainEntry(context, thing)];
    expect(paths).toEqual([join(folder.path, 'thing-1.0'), join(folder.path, 'thing-1.0')]);
    expect(thing.makes()).toBe(1);
  });

  it('makes an entry once for many who ask at the same time', async () => {
    await using folder = await temporaryFolder();
    const thing = recipe();
    const context = { folder: folder.path, reporter: silent };
    await Promise.all(Array.from({ length: 8 }, () => obtainEntry(context, thing)));
    expect(thing.makes()).toBe(1);
  });

  it.each([
    ['making it fails', () => Promise.reject(new Error('no'))],
    ['what was made does not work', (made: string) => writeFile(join(made, 'thing'), 'bad')],
  ])('leaves nothing behind where %s', async (_name, make) => {
    await using folder = await temporaryFolder();
    const context = { folder: folder.path, reporter: silent };
    await expect(obtainEntry(context, recipe(make))).rejects.toThrow();
    expect(await entries(folder.path)).toEqual([]);
    expect(await obtainEntry(context, recipe())).toBe(join(folder.path, 'thing-1.0'));
  });

  it('leaves nothing behind where it is aborted', async () => {
    await using folder = await temporaryFolder();
    const controller = new AbortController();
    const context = { folder: folder.path, reporter: silent, signal: controller.signal };
    const abortMidway = async (made: string) => {
      await fill(made);
      controller.abort(new Error('enough'));
    };
    await expect(obtainEntry(context, recipe(abortMidway))).rejects.toThrow('enough');
    expect(await entries(folder.path)).toEqual([]);
  });

  it('makes an entry again that stopped working, and says why', async () => {
    await using folder = await temporaryFolder();
    const reporter = recordingReporter();
    const context = { folder: folder.path, reporter };
    const entry = await obtainEntry(context, recipe());
    await writeFile(join(entry, 'thing'), 'bad');
    await obtainEntry(context, recipe());
    expect(await readFile(join(entry, 'thing'), 'utf8')).toBe('good');
    expect(reporter.lines).toContain("The cached thing-1.0 can't be used: it is bad");
    expect(reporter.lines).toContain('The cached thing 1.0 does not work any more and is made again.');
    expect(await entries(folder.path)).toEqual(['thing-1.0']);
  });

  it('keeps an entry that can not be judged just now', async () => {
    await using folder = await temporaryFolder();
    const context = { folder: folder.path, reporter: silent };
    const entry = await obtainEntry(context, recipe());
    const outOfMemory = { ...recipe(), check: () => Promise.reject(new Error('out of memory')) };
    await expect(findEntry(context, outOfMemory)).rejects.toThrow('out of memory');
    expect(await findEntry(context, recipe())).toBe(entry);
  });

  it('sweeps what dead processes left, and nothing that a living one is at', async () => {
    await using folder = await temporaryFolder();
    const dead = startChild(`
      import { ownerToken } from ${JSON.stringify(import.meta.resolve('../process/owner.ts'))};
      console.log(ownerToken());`);
    await dead.ended;
    const mine = `other-2.0.tmp-${ownerToken()}`;
    await mkdir(join(folder.path, `other-1.0.tmp-${dead.output().trim()}`, 'half'), { recursive: true });
    await mkdir(join(folder.path, mine));
    await obtainEntry({ folder: folder.path, reporter: silent }, recipe());
    expect((await entries(folder.path)).sort()).toEqual([mine, 'thing-1.0']);
  });
});
