import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { describeMisfit } from './executable-kind.ts';
import { platformOf } from './platform.ts';

function elf(machine: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF\x02\x01\x01', 'latin1');
  bytes.writeUInt16LE(machine, 18);
  return bytes;
}

function mach(machine: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  bytes.writeUInt32LE(machine, 4);
  return bytes;
}

it.each([
  ['a program for this platform', elf(62), undefined],
  ['a script', '#!/bin/sh\necho hello, world\n', undefined],
  ['a program for another processor', elf(183), 'it is a program for linux/arm64, and this is linux/amd64'],
  [
    'a program for an unheard-of processor',
    elf(999),
    'it is a program for linux/processor 999, and this is linux/amd64',
  ],
  ['a program for macOS', mach(16777228), 'it is a program for darwin/arm64, and this is linux/amd64'],
  ['a program for Windows', 'MZ'.padEnd(64), 'it is a program for windows, and this is linux/amd64'],
  ['a web page', '<!DOCTYPE html><html>', 'it is a web page'],
  ['nothing', '', 'it is an empty file'],
])('recognises %s', async (_name, content, expected) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'file');
  await writeFile(path, content);
  expect(await describeMisfit(path, { os: 'linux', arch: 'amd64' })).toBe(expected);
});

it('finds nothing wrong with Node', async () => {
  expect(await describeMisfit(process.execPath, platformOf())).toBeUndefined();
});
