import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../test/binaries/child.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { ownerToken } from '../process/owner.ts';
import { withLock } from './lock.ts';

describe('withLock', { timeout: 30_000 }, () => {
  it('lets one in at a time, however many come at once', async () => {
    await using folder = await temporaryFolder();
    let inside = 0;
    const crowds = await Promise.all(
      Array.from({ length: 12 }, () =>
        withLock(folder.path, async () => {
          inside += 1;
          await new Promise(setImmediate);
          const crowd = inside;
          inside -= 1;
          return crowd;
        }),
      ),
    );
    expect(crowds).toEqual(Array(12).fill(1));
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('is released when the work fails', async () => {
    await using folder = await temporaryFolder();
    await expect(withLock(folder.path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(folder.path, async () => 'mine')).toBe('mine');
  });

  it('is taken from a process that was killed while it held it', async () => {
    await using folder = await temporaryFolder();
    const holder = startChild(`
      import { withLock } from ${JSON.stringify(import.meta.resolve('./lock.ts'))};
      const forever = new Promise(() => setInterval(() => {}, 1000));
      await withLock(${JSON.stringify(folder.path)}, () => { console.log('held'); return forever; });`);
    await expect.poll(holder.output, { timeout: 10_000 }).toContain('held');
    const waited: number[] = [];
    const mine = withLock(folder.path, async () => 'mine', { onWait: ({ pid }) => waited.push(pid) });
    await expect.poll(() => waited.length).toBeGreaterThan(0);
    holder.kill('SIGKILL');
    expect(await mine).toBe('mine');
    expect(new Set(waited)).toEqual(new Set([holder.pid]));
  });

  it('is waited for until the wait is aborted', async () => {
    await using folder = await temporaryFolder();
    const controller = new AbortController();
    const options = { signal: controller.signal, onWait: () => controller.abort(new Error('enough')) };
    const inner = () => withLock(folder.path, async () => 'never', options);
    await expect(withLock(folder.path, inner)).rejects.toThrow('enough');
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe('a holder on another machine', () => {
  async function foreignLock(folder: string, age: number): Promise<void> {
    await mkdir(folder, { recursive: true });
    const [pid, startTime] = ownerToken().split('-');
    const file = join(folder, [pid, startTime, ...Array(4).fill('00000000')].join('-'));
    await writeFile(file, '');
    const time = new Date(Date.now() - age);
    await utimes(file, time, time);
  }

  it('is waited for as long as it gives signs of life', async () => {
    await using folder = await temporaryFolder();
    await foreignLock(folder.path, 10_000);
    const controller = new AbortController();
    const options = { signal: controller.signal, onWait: () => controller.abort(new Error('it is held')) };
    await expect(withLock(folder.path, async () => 'mine', options)).rejects.toThrow('it is held');
  });

  it('is taken for dead when it has been silent for long', async () => {
    await using folder = await temporaryFolder();
    await foreignLock(folder.path, 120_000);
    expect(await withLock(folder.path, async () => 'mine')).toBe('mine');
  });
});
