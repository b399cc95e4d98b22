import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { startChild } from '../../test/binaries/child.ts';
import { identify, lives, signalProcess } from './process-identity.ts';

it('knows a process from a later one of the same number', async () => {
  const child = startChild('setInterval(() => {}, 1000)');
  const now = identify(child.pid);
  expect(now && lives(now)).toBe(true);
  expect(lives({ pid: child.pid, startTime: '1' })).toBe(false);
  child.kill('SIGKILL');
  await child.ended;
  expect(now && lives(now)).toBe(false);
});

it('signals the process that is meant, and no other', async () => {
  const child = startChild('setInterval(() => {}, 1000)');
  expect(signalProcess({ pid: child.pid, startTime: '1' }, 'SIGKILL')).toBe(false);
  expect(signalProcess(undefined, 'SIGKILL')).toBe(false);
  expect(signalProcess(identify(child.pid), 'SIGKILL')).toBe(true);
  expect(await child.ended).toEqual([null, 'SIGKILL']);
});

it('never takes a number for a group of processes', () => {
  expect(identify(0)).toBeUndefined();
  expect(identify(-1)).toBeUndefined();
});

it('is the only place that signals by a number', async () => {
  const sources = join(import.meta.dirname, '..');
  const files = (await readdir(sources, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const found = await Promise.all(
    files.map(async (name) => (/(?<!\.)process\.kill\(/.test(await readFile(join(sources, name), 'utf8')) ? name : [])),
  );
  expect(found.flat()).toEqual([relative(sources, join(import.meta.dirname, 'process-identity.ts'))]);
});
