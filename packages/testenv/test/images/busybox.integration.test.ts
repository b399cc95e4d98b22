/** Busybox out of Debian's package, on a machine that has not installed it. */
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packagedBusybox } from '../../src/images/busybox-image.ts';
import { which } from '../../src/internal/which.ts';
import { silent } from '../../src/reporter.ts';
import { temporaryCache } from './temporary.ts';

describe.runIf(await which('apt-get'))('packagedBusybox', () => {
  it('takes the program out of the package once, and keeps nothing else', async () => {
    const cache = await temporaryCache();
    const said: string[] = [];
    const reporter = { ...silent, info: (message: string) => void said.push(message) };
    const busybox = await packagedBusybox(reporter);
    expect(execFileSync(busybox, ['echo', 'hello'], { encoding: 'utf8' })).toBe('hello\n');
    expect(await packagedBusybox(reporter)).toBe(busybox);
    expect(said).toHaveLength(1);
    expect(await readdir(cache, { recursive: true })).toEqual(expect.arrayContaining(['busybox/busybox']));
    expect(await readdir(join(cache, 'tmp'))).toEqual([]);
  });
});
