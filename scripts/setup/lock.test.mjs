import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdingLock } from './lock.mjs';

describe('holdingLock', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let lock;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kurator-lock-'));
    lock = join(folder, 'lock');
    vi.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lets one work at a time', async () => {
    let working = 0;
    const work = async () => {
      working += 1;
      expect(working).toBe(1);
      await new Promise(setImmediate);
      working -= 1;
    };
    await Promise.all([holdingLock(lock, work), holdingLock(lock, work)]);
    expect(existsSync(lock)).toBe(false);
  });

  it('is free again after a failure', async () => {
    await expect(holdingLock(lock, () => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
    expect(await holdingLock(lock, () => Promise.resolve('done'))).toBe('done');
  });

  it('takes over from a process that is gone', async () => {
    const gone = spawnSync('true').pid;
    writeFileSync(lock, String(gone));
    expect(await holdingLock(lock, () => Promise.resolve('done'))).toBe('done');
  });
});
