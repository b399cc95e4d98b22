import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBlobStore } from './blob-store.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-pulled-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const body = (text: string) => Readable.from([Buffer.from(text)]);
const plenty = { size: 0, most: 1000 };

describe('the store of pulled blobs', () => {
  it('gives back what it keeps, by its digest', async () => {
    const store = await openBlobStore({ folder: await emptyFolder(), limit: 1000 });
    const kept = await store.keep(body('layer'), { digest: digestOf('layer'), ...plenty });
    expect(await store.find(digestOf('layer'))).toEqual(kept);
    expect(await readFile(kept.path, 'utf8')).toBe('layer');
    expect(await store.find(digestOf('other'))).toBeUndefined();
  });

  it.each([
    ['something else than was asked for', 'layer?', 1000, /What the registry gave as/],
    ['more than anything has', 'layer', 4, /more than 4 bytes/],
  ])('keeps nothing of %s', async (_, given, most, message) => {
    const folder = await emptyFolder();
    const store = await openBlobStore({ folder, limit: 1000 });
    const expected = { digest: digestOf('layer'), size: 0, most };
    await expect(store.keep(body(given), expected)).rejects.toThrow(message);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(files).toEqual([]);
  });

  it('lets go of what was not asked for longest, when it has more than it may', async () => {
    const store = await openBlobStore({ folder: await emptyFolder(), limit: 10 });
    for (const [age, text] of ['aaaa', 'bbbb'].entries()) {
      const { path } = await store.keep(body(text), plenty);
      await utimes(path, 1000 + age, 1000 + age);
    }
    await store.find(digestOf('aaaa'));
    await store.keep(body('cccc'), plenty);
    expect(await store.find(digestOf('bbbb'))).toBeUndefined();
    expect(await store.find(digestOf('aaaa'))).toBeDefined();
    expect(await store.find(digestOf('cccc'))).toBeDefined();
  });
});
