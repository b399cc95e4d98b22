import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withWatchesFor } from './watch-limit.mjs';

describe('withWatchesFor', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let file;
  const limit = () => Number(readFileSync(file, 'utf8'));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kurator-limit-'));
    file = join(folder, 'max_user_instances');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('raises a low limit while it works, and puts it back', async () => {
    writeFileSync(file, '128\n');
    expect(await withWatchesFor(3, async () => limit(), file)).toBeGreaterThan(200);
    expect(limit()).toBe(128);
  });

  it('puts it back also when the work fails', async () => {
    writeFileSync(file, '128\n');
    const work = async () => {
      throw new Error('no');
    };
    await expect(withWatchesFor(3, work, file)).rejects.toThrow('no');
    expect(limit()).toBe(128);
  });

  it('never lowers one', async () => {
    writeFileSync(file, '8192\n');
    expect(await withWatchesFor(3, async () => limit(), file)).toBe(8192);
    writeFileSync(file, '128\n');
    await withWatchesFor(3, async () => writeFileSync(file, '4096\n'), file);
    expect(limit()).toBe(4096);
  });

  it('works where there is no such limit', async () => {
    expect(await withWatchesFor(3, async () => 'done', join(folder, 'other'))).toBe('done');
  });
});
