// Moving processes within the kernel's own tree. That this lets pods have controllers is proven in a virtual machine, by
// `npm run bench -- cgroup-v2`: it takes a kernel whose controllers are all in version 2.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../src/internal/until.ts';
import { hierarchies, stepAside } from '../src/machines/cgroups.ts';

const mount = (await hierarchies().catch(() => [])).find(({ version }) => version === 2)?.mount;

describe.skipIf(!mount || process.getuid?.() !== 0)('stepAside', () => {
  const group = join(mount ?? '', `kurator-aside-${process.pid}`);
  const beside = join(group, 'init');
  const members = async (folder: string) => (await readFile(join(folder, 'cgroup.procs'), 'utf8')).trim();
  let sleeper: ChildProcess;

  beforeEach(async () => {
    await mkdir(group);
    sleeper = spawn('sleep', ['infinity']);
    await once(sleeper, 'spawn');
    await writeFile(join(group, 'cgroup.procs'), String(sleeper.pid));
  });

  afterEach(async () => {
    const ended = once(sleeper, 'exit');
    sleeper.kill('SIGKILL');
    await ended;
    for (const folder of [beside, group])
      await until(`${folder} to go`, async () => await rmdir(folder).then(() => true));
  });

  it('moves the processes of a group into one below it, and may be called again', async () => {
    await stepAside(group);
    await stepAside(group);
    expect(await members(group)).toBe('');
    expect(await members(beside)).toBe(String(sleeper.pid));
  });
});
