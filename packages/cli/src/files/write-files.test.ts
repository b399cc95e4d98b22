import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerToken } from '@kurator/testenv/owner';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileChange, readIfThere } from './change.ts';
import { recover } from './journal.ts';
import { leadsDown } from './place.ts';
import { writeFiles } from './write-files.ts';

let place: string;
let folder: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'kurator-files-'));
  folder = join(place, 'folder');
  await mkdir(folder);
});
afterEach(() => rm(place, { recursive: true, force: true }));

/** Every path below the folder, with the text of files. */
async function photograph(): Promise<Record<string, string | undefined>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const pairs = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1), entry.isFile() ? await readFile(path, 'utf8') : undefined] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

/** The permissions of the files that are in the folder itself, or in one of it. */
async function modes(below = '.'): Promise<Record<string, string>> {
  const at = join(folder, below);
  const files = (await readdir(at, { withFileTypes: true })).filter((entry) => entry.isFile());
  const pairs = files.map(async ({ name }) => [name, ((await stat(join(at, name))).mode & 0o7777).toString(8)]);
  return Object.fromEntries(await Promise.all(pairs));
}

const changes: FileChange[] = [
  { path: 'gone', before: 'gone', after: undefined },
  { path: 'deep/er/new', before: undefined, after: 'new' },
  { path: 'old', before: 'old', after: 'changed' },
  { path: 'deep/other', before: undefined, after: 'other' },
];

async function somebodysFolder(): Promise<void> {
  await writeFile(join(folder, 'old'), 'old');
  await writeFile(join(folder, 'gone'), 'gone');
  await writeFile(join(folder, 'mine'), 'mine');
  // One that can be run, and one that only its owner may read.
  await chmod(join(folder, 'old'), 0o755);
  await chmod(join(folder, 'gone'), 0o600);
}
const theirModes = { old: '755', gone: '600' };

it('creates, changes and removes', async () => {
  await somebodysFolder();
  await writeFiles(folder, changes);
  const deep = { deep: undefined, 'deep/er': undefined, 'deep/er/new': 'new', 'deep/other': 'other' };
  expect(await photograph()).toEqual({ ...deep, mine: 'mine', old: 'changed' });
  expect(await modes()).toMatchObject({ old: '755' });
});

it('makes the folder, and takes it away again where nothing can be written', async () => {
  const lost = join(place, 'a', 'b');
  const twins = ['x', 'X'].map((path) => ({ path, before: undefined, after: '' }));
  await expect(writeFiles(lost, twins)).rejects.toMatchObject({ code: 'KUR_CLI_WRITE' });
  expect(await readdir(place)).toEqual(['folder']);
  await writeFiles(lost, [{ path: 'x', before: undefined, after: '' }]);
  expect(await readdir(lost)).toEqual(['x']);
});

it('changes nothing where one of the files can not be written', async () => {
  await somebodysFolder();
  const before = await photograph();
  const all = [...changes, { path: 'mine/b', before: undefined, after: 'b' }];
  await expect(writeFiles(folder, all)).rejects.toMatchObject({ code: 'KUR_CLI_WRITE' });
  expect(await photograph()).toEqual(before);
});

describe('what happens while the files are moved to their places', () => {
  const steps = changes.map((_, at) => at);

  it.each(steps)('is undone after a failure at step %i', async (step) => {
    await somebodysFolder();
    const before = await photograph();
    const fail = (done: number) => {
      if (done === step) throw new Error('it fails');
    };
    await expect(writeFiles(folder, changes, fail)).rejects.toThrow('it fails');
    expect(await photograph()).toEqual(before);
    expect(await modes()).toMatchObject(theirModes);
  });

  it.each(steps)('is undone by the next command after the process was killed at step %i', async (step) => {
    await somebodysFolder();
    const before = await photograph();
    const program = join(import.meta.dirname, '../../test/support/crashing-writer-process.ts');
    const args = ['--conditions=source', program, folder, JSON.stringify(changes), String(step)];
    expect(spawnSync(process.execPath, args)).toMatchObject({ signal: 'SIGKILL' });
    expect(await readdir(folder)).toContain('.kurator-writing');
    const copies = Object.entries(await modes('.kurator-writing')).filter(([name]) => name.endsWith('.before'));
    expect(copies.map(([, mode]) => mode).toSorted()).toEqual(['600', '755']);
    expect(await recover(folder)).toEqual([]);
    expect(await photograph()).toEqual(before);
    expect(await modes()).toMatchObject(theirModes);
    await writeFiles(folder, changes);
    expect(await readIfThere(folder, 'old')).toBe('changed');
  });

  it('leaves a file alone that somebody has changed since the process was killed', async () => {
    await somebodysFolder();
    const program = join(import.meta.dirname, '../../test/support/crashing-writer-process.ts');
    spawnSync(process.execPath, ['--conditions=source', program, folder, JSON.stringify(changes), '3']);
    await writeFile(join(folder, 'deep/er/new'), 'edited');
    expect(await recover(folder)).toEqual(['deep/er/new']);
    expect(await photograph()).toMatchObject({ 'deep/er/new': 'edited', old: 'old', gone: 'gone' });
  });

  it.each([
    ['appears', 'deep/other'],
    ['is changed', 'old'],
    ['is changed, which was to be removed', 'gone'],
  ])('stops it if a file %s', async (_, path) => {
    await somebodysFolder();
    const meanwhile: (done: number) => void = (done) => {
      if (done === 0) spawnSync('sh', ['-c', `mkdir -p deep && printf theirs > ${path}`], { cwd: folder });
    };
    await expect(writeFiles(folder, changes, meanwhile)).rejects.toMatchObject({ code: 'KUR_CLI_CHANGED' });
    expect(await photograph()).toMatchObject({ mine: 'mine', [path]: 'theirs' });
    expect(await readIfThere(folder, 'deep/er/new')).toBeUndefined();
  });

  /** As if this process had begun to write. */
  const begunBy = async (owner: string) => {
    await somebodysFolder();
    await mkdir(join(folder, '.kurator-writing'));
    await writeFile(join(folder, '.kurator-writing/journal.json'), JSON.stringify({ owner, entries: [], folders: [] }));
  };
  const runner = (code: string) => spawn(process.execPath, ['--conditions=source', '--input-type=module', '-e', code]);
  const printsOwner = "import { ownerToken } from '@kurator/testenv/owner'; console.log(ownerToken());";
  const ownerIn = async ({ stdout }: ReturnType<typeof runner>) =>
    String(((await once(stdout, 'data')) as [Buffer])[0]).trim();

  it('is one command’s alone', async () => {
    const other = runner(`${printsOwner} setInterval(() => {}, 1000);`);
    try {
      await begunBy(await ownerIn(other));
      await expect(writeFiles(folder, changes)).rejects.toMatchObject({ code: 'KUR_CLI_BUSY' });
      expect(await readIfThere(folder, 'old')).toBe('old');
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('goes on where the command is gone and its number was given to another process', async () => {
    const [, start, ...where] = ownerToken().split('-');
    await begunBy([process.ppid, Number(start) - 1, ...where].join('-'));
    await writeFiles(folder, changes);
    expect(await readIfThere(folder, 'deep/er/new')).toBeDefined();
  });

  it('waits for a command of another machine, of which nothing can be known', async () => {
    const [pid, start, , , namespace, number] = ownerToken().split('-');
    await begunBy([pid, start, '00000000', '00000000', namespace, number].join('-'));
    await expect(writeFiles(folder, changes)).rejects.toMatchObject({ code: 'KUR_CLI_BUSY' });
  });
});

describe('a path that leads elsewhere', () => {
  it('is refused by what it says', async () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('..', '.', '', '\\', 'C:', '/etc', 'a\0b', 'a\nb'));
    const paths = fc.oneof(
      fc.array(part, { minLength: 1 }).map((parts) => parts.join('/')),
      part,
    );
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        if (leadsDown(path)) {
          expect(join(folder, path).startsWith(`${folder}/`)).toBe(true);
          return;
        }
        const change = { path, before: undefined, after: 'hostile' };
        await expect(writeFiles(folder, [change])).rejects.toMatchObject({ code: 'KUR_CLI_OUTSIDE' });
        expect(await readdir(place)).toEqual(['folder']);
      }),
    );
  });

  it.each(['link/file', 'file'])('is refused where a link does it: %s', async (path) => {
    const outside = join(place, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file'), 'theirs');
    await symlink(outside, join(folder, 'link'));
    await symlink(join(outside, 'file'), join(folder, 'file'));
    for (const after of ['hostile', undefined]) {
      const change = { path, before: 'theirs', after };
      await expect(writeFiles(folder, [change])).rejects.toMatchObject({ code: 'KUR_CLI_OUTSIDE' });
    }
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('theirs');
  });
});
