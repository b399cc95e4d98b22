// What is a folder's alone: crashes of other processes, links, damage.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readdir, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFolderStore, type ObjectStore } from '../src/index.ts';

const text = (value: string) => Buffer.from(value);
let folder: string;
let store: ObjectStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'object-store-'));
  store = createFolderStore({ folder });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const read = async (key: string) => await (await store.get(key)).bytes();

async function writer(key: string, how: 'small' | 'large' | 'replace' | 'token') {
  const program = join(import.meta.dirname, 'support', 'writer-process.ts');
  const args = ['--conditions=source', program, folder, key, how];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('a writer that is killed', () => {
  it.each(['small', 'large', 'replace'] as const)(
    'leaves one whole version, and nobody waits for it: %s',
    async (how) => {
      await store.put('object', text('first'));
      for (let round = 0; round < 4; round += 1) {
        const process = await writer('object', how);
        const { etag } = await store.head('object');
        await expect.poll(async () => (await store.head('object')).etag).not.toBe(etag);
        // Somewhere between two moments that nobody knows: not the same each round.
        for (let i = 0; i < round * 3; i += 1) await store.head('object');
        await process.kill();
        const content = await read('object');
        expect(new Set(content).size).toBeLessThanOrEqual(content.length < 10 ? 5 : 1);
        const { etag: last } = await store.head('object');
        await store.put('object', text('next'), { ifMatch: last });
      }
      // What large ones leave can be found.
      for await (const upload of store.listUploads('')) await store.abortUpload(upload);
      expect((await readdir(join(folder, '.kurator', 'uploads'))).length).toBe(0);
    },
  );

  it('is what the lock is for: who holds it is waited for', async () => {
    await store.put('object', text('first'));
    const other = new DatabaseSync(join(folder, '.kurator', 'lock'));
    other.exec('BEGIN EXCLUSIVE');
    const waiting = store.put('object', text('second'));
    await expect(store.put('object', text('third'), { timeout: 100 })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(String(await read('object'))).toBe('first');
    other.exec('ROLLBACK');
    await waiting;
    other.close();
    expect(String(await read('object'))).toBe('second');
  });

  it('leaves temporary files, which go after a day', async () => {
    await store.put('object', text('x'));
    const temporary = (name: string) => join(folder, '.kurator', 'temporary', name);
    for (const name of ['old', 'new']) await writeFile(temporary(name), 'half of it');
    await utimes(temporary('old'), 0, 0);
    expect(await Array.fromAsync(store.listUploads(''))).toEqual([]);
    expect(await readdir(temporary(''))).toEqual(['new']);
  });
});

describe('nothing leads out of the folder', () => {
  it('no link in the place of a folder', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    try {
      await mkdir(join(folder, 'a'));
      await symlink(outside, join(folder, 'a', 'link'));
      const error = { code: 'KUR_STORE_KEY', message: expect.stringContaining('symbolic link') };
      await expect(store.put('a/link/object', text('x'))).rejects.toMatchObject(error);
      await expect(store.get('a/link/object')).rejects.toMatchObject(error);
      await expect(store.delete('a/link/object')).rejects.toMatchObject(error);
      expect(await Array.fromAsync(store.list(''))).toEqual([]);
      expect(await readdir(outside)).toEqual([]);
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it('no link in the place of an object', async () => {
    const secret = join(folder, '..', `secret-${process.pid}`);
    await writeFile(secret, 'secret');
    try {
      await symlink(secret, join(folder, 'object.object'));
      await expect(store.get('object')).rejects.toMatchObject({ code: 'KUR_STORE_KEY' });
      expect(await Array.fromAsync(store.list(''))).toEqual([]);
      await store.put('object', text('mine'));
      expect(String(await read('object'))).toBe('mine');
      expect((await stat(secret)).size).toBe(6);
    } finally {
      await rm(secret);
    }
  });

  it.each([['.kurator'], ['.kurator/lock'], ['a.object/b']])('%s is kept for the folder itself', async (key) => {
    await expect(store.put(key, text('x'))).rejects.toMatchObject({ code: 'KUR_STORE_KEY', key });
  });
});

describe('objects and folders', () => {
  it('may have the same name, as in S3', async () => {
    await store.put('a', text('1'));
    await store.put('a/b', text('2'));
    await store.put('a.object', text('3'));
    const [page] = await Array.fromAsync(store.list(''));
    expect(page?.objects.map(({ key }) => key)).toEqual(['a', 'a.object', 'a/b']);
  });

  it('are gone from the disk when they are deleted', async () => {
    await store.put('a/b/c', text('1'));
    await store.put('a/d', text('2'));
    const handle = await open(folder);
    await handle.close();
    const synced = vi.spyOn(Object.getPrototypeOf(handle), 'sync');
    onTestFinished(() => synced.mockRestore());
    await store.delete('a/b/c');
    expect(synced).toHaveBeenCalledTimes(1);
    await store.delete('a/d');
    expect(synced).toHaveBeenCalledTimes(2);
    await store.delete('a/d');
    expect(synced).toHaveBeenCalledTimes(2);
  });

  it('folders go with the last object in them', async () => {
    await store.put('a/b/c', text('1'));
    await store.put('a/d', text('2'));
    await store.delete('a/b/c');
    expect(await readdir(join(folder, 'a'))).toEqual(['d.object']);
    await store.delete('a/d');
    expect(await readdir(folder)).toEqual(['.kurator']);
  });

  it('a folder that goes right after an object was put into it is no trouble', async () => {
    await using other = createFolderStore({ folder });
    const handle = await open(folder);
    await handle.close();
    const prototype = Object.getPrototypeOf(handle);
    const { sync } = prototype;
    const synced = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: unknown) {
      // The file itself is the first; then come the folders, from the outermost.
      if (synced.mock.calls.length === 2) await other.delete('a/b');
      await sync.call(this);
    });
    onTestFinished(() => synced.mockRestore());
    await store.put('a/b', text('x'));
    await expect(store.head('a/b')).rejects.toMatchObject({ code: 'KUR_STORE_NOT_FOUND' });
  });

  it('files of others are not listed', async () => {
    await store.put('a/b', text('1'));
    await writeFile(join(folder, 'a', 'lost+found.txt'), 'x');
    await mkdir(join(folder, 'empty'));
    const [page] = await Array.fromAsync(store.list('', { delimiter: '/' }));
    expect(page).toEqual({ objects: [], prefixes: ['a/'] });
  });
});

describe('an upload belongs to one writer', () => {
  const partSize = 5 * 2 ** 20;

  /** A put whose content waits after its first part until it is told to go on. */
  function pausing(from: ObjectStore, letter: string, token: string) {
    const [isHalfway, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* content() {
      // One part and a byte: the first is written when the second is asked for.
      yield Buffer.alloc(partSize + 1, letter);
      yield Buffer.alloc(partSize, letter);
      isHalfway.resolve();
      await goOn.promise;
      yield Buffer.alloc(partSize, letter);
    }
    return { result: from.put('object', content(), { token, partSize }), isHalfway: isHalfway.promise, ...goOn };
  }

  it('another one with the same token begins its own, and what it has put stays as it is', async () => {
    await using other = createFolderStore({ folder });
    const slow = pausing(store, 'a', 'backup-7');
    await slow.isHalfway;
    const put = await other.put('object', Buffer.alloc(2 * partSize, 'b'), { token: 'backup-7', partSize });
    slow.resolve();
    // The same token is the same object: it was put already.
    expect((await slow.result).sha256).toBe(put.sha256);
    expect((await read('object')).equals(Buffer.alloc(2 * partSize, 'b'))).toBe(true);
    expect(await readdir(join(folder, '.kurator', 'uploads'))).toEqual([]);
  });

  it('one that was aborted puts nothing, also if it was begun anew meanwhile', async () => {
    await using other = createFolderStore({ folder });
    const aborted = pausing(store, 'a', 'backup-7');
    await aborted.isHalfway;
    for await (const upload of other.listUploads('')) await other.abortUpload(upload);
    const anew = pausing(other, 'b', 'backup-7');
    await anew.isHalfway;
    aborted.resolve();
    await expect(aborted.result).rejects.toMatchObject({ code: 'KUR_STORE_REFUSED', key: 'object' });
    anew.resolve();
    await anew.result;
    expect((await read('object')).equals(Buffer.alloc(3 * partSize + 1, 'b'))).toBe(true);
  });

  it('one whose writer was killed is taken up', async () => {
    const process = await writer('object', 'token');
    await expect.poll(async () => (await Array.fromAsync(store.listUploads(''))).length).toBe(1);
    const [left] = await Array.fromAsync(store.listUploads(''));
    await process.kill();
    const next = pausing(store, 'a', 'backup-7');
    await next.isHalfway;
    expect(await Array.fromAsync(store.listUploads(''))).toEqual([left]);
    next.resolve();
    await next.result;
    expect(await Array.fromAsync(store.listUploads(''))).toEqual([]);
  });
});

it('an object that does not fit on the disk is no object', async () => {
  await store.put('object', text('first'));
  const program = join(import.meta.dirname, 'support', 'putting-process.ts');
  // 64 KiB: the system writes up to there, and says so, before it refuses the rest. A full disk does the same.
  const args = ['-c', 'ulimit -f 128 && exec "$@"', 'sh', process.execPath, '--conditions=source', program];
  const { stdout } = await promisify(execFile)('sh', [...args, folder, 'object', '100000']);
  expect(stdout).toBe('KUR_STORE_TOO_LARGE');
  expect(String(await read('object'))).toBe('first');
});

describe('damage is seen', () => {
  it('a file that was cut short', async () => {
    await store.put('object', randomBytes(1000));
    await truncate(join(folder, 'object.object'), 900);
    await expect(store.head('object')).rejects.toMatchObject({ code: 'KUR_STORE_BAD_RESPONSE', key: 'object' });
  });

  it('a bit that has changed', async () => {
    await store.put('object', Buffer.alloc(1000));
    const file = await open(join(folder, 'object.object'), 'r+');
    await file.write(Buffer.from([1]), 0, 1, 500);
    await file.close();
    await expect(read('object')).rejects.toMatchObject({ code: 'KUR_STORE_DIGEST', key: 'object' });
  });

  it('a file that somebody has moved to another name', async () => {
    await store.put('object', text('x'));
    await symlink('object.object', join(folder, 'other.object'));
    await expect(store.head('other')).rejects.toMatchObject({ code: 'KUR_STORE_KEY' });
  });
});

it('a folder that is taken away is named, and what was put is still there', async () => {
  await store.put('object', text('x'));
  await rm(join(folder, '.kurator', 'temporary'), { recursive: true });
  await expect(store.put('object', text('y'))).rejects.toMatchObject({ code: 'KUR_STORE_SERVER', reason: 'ENOENT' });
  expect(String(await read('object'))).toBe('x');
});
