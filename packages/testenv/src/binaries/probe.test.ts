import { copyFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeProgramsIn } from '../../test/binaries/fake-programs.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { expectVersion, probeVersion } from './probe.ts';

it.each([
  ['kube-apiserver', '1.36.3'],
  ['etcd', '3.6.8'],
  ['coredns', '1.15.0'],
] as const)('reads the version of %s', async (program, version) => {
  await using folder = await temporaryFolder();
  await fakeProgramsIn(folder.path, { [program]: version });
  expect(await probeVersion(program, join(folder.path, program))).toBe(version);
});

/** An ELF header for a processor that nobody has. */
const foreignProgram = Buffer.alloc(4096);
foreignProgram.write('\x7fELF\x02\x01\x01', 'latin1');
foreignProgram.writeUInt16LE(2, 16);
foreignProgram.writeUInt16LE(0xfefe, 18);

it.each([
  ['is for another processor', foreignProgram],
  ['is a page of a captive portal', '<html>Sign in</html>'],
  ['is empty', ''],
  ['fails', '#!/bin/sh\necho "cannot load library" >&2; exit 3\n'],
  ['crashes', '#!/bin/sh\nkill -SEGV $$\n'],
  ['says something else', '#!/bin/sh\necho hello\n'],
])('calls a program broken that %s', async (_name, content) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'etcd');
  await writeFile(path, content, { mode: 0o755 });
  await expect(probeVersion('etcd', path)).rejects.toMatchObject({
    code: 'KUR_TESTENV_BINARY_BROKEN',
    message: expect.stringContaining(path),
  });
});

it.each([
  ['is killed', '#!/bin/sh\nkill -KILL $$\n'],
  ['has no memory', '#!/bin/sh\necho "fork/exec: cannot allocate memory" >&2; exit 2\n'],
])('does not blame a program that %s', async (_name, content) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'etcd');
  await writeFile(path, content, { mode: 0o755 });
  await expect(probeVersion('etcd', path)).rejects.not.toHaveProperty('code', 'KUR_TESTENV_BINARY_BROKEN');
});

it('calls a program broken that was cut short', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'etcd');
  await copyFile(process.execPath, path);
  await truncate(path, 10_000);
  await expect(probeVersion('etcd', path)).rejects.toMatchObject({ code: 'KUR_TESTENV_BINARY_BROKEN' });
});

it('calls a program broken that is of another version than expected', async () => {
  await using folder = await temporaryFolder();
  await fakeProgramsIn(folder.path, { kubelet: '1.35.4' });
  await expect(expectVersion('kubelet', join(folder.path, 'kubelet'), '1.36.3')).rejects.toMatchObject({
    code: 'KUR_TESTENV_BINARY_BROKEN',
    message: expect.stringContaining('it reports version 1.35.4, where 1.36.3 is expected'),
  });
});
