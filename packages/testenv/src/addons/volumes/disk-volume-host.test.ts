// What can be tried without root: plain folders, and a node that only remembers what it was asked to do.
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestenvError } from '../../error.ts';
import { createDiskVolumeHost, mountPoints } from './disk-volume-host.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'volumes-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function hostThatCannotMount(messages: string[] = []) {
  return createDiskVolumeHost({
    node: 'n1',
    folder,
    nodeFolder: '/var/lib/volumes',
    enter: async (command) => {
      if (command === 'mount') throw new Error('mount: no loop devices');
      return { stdout: '', stderr: '' };
    },
    reporter: { info: (message) => messages.push(message), verbose: () => {}, progress: () => {} },
  });
}

describe('where images cannot be mounted', () => {
  it('a volume is a folder that everyone may write to, and that is said once', async () => {
    const messages: string[] = [];
    const host = hostThatCannotMount(messages);
    const paths = await Promise.all(['a', 'b'].map((name) => host.create({ name, bytes: 1n })));
    expect(paths).toEqual(['/var/lib/volumes/a', '/var/lib/volumes/b']);
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o777);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/plain folders without a size limit: .+/);
  });

  it('making it again keeps its data, and removing it twice is fine', async () => {
    const host = hostThatCannotMount();
    await host.create({ name: 'a', bytes: 1n });
    await writeFile(join(folder, 'a', 'precious'), '');
    await host.create({ name: 'a', bytes: 1n });
    expect(await readdir(join(folder, 'a'))).toEqual(['precious']);
    await host.remove('a');
    await host.remove('a');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('while the node is off', () => {
  const offline = () =>
    createDiskVolumeHost({
      node: 'n1',
      folder,
      nodeFolder: '/v',
      enter: async () => {
        throw new TestenvError('KUR_TESTENV_MACHINE_OFF', 'the machine n1 is powered off');
      },
    });

  it('volumes can be listed and removed', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'a.img'), '');
    await writeFile(join(folder, 'b.img.tmp'), '');
    expect(await offline().list()).toEqual(['a']);
    await offline().remove('a');
    expect(await offline().list()).toEqual([]);
  });

  it('none can be made, and nothing half made is left', async () => {
    const host = offline();
    await expect(host.create({ name: 'a', bytes: 1n })).rejects.toMatchObject({ code: 'KUR_TESTENV_MACHINE_OFF' });
    expect(await readdir(folder)).toEqual([]);
  });
});

it.each(['..', 'a/b', '', 'A', 'a.img', '-a'])('refuses the name "%s"', async (name) => {
  await expect(hostThatCannotMount().remove(name)).rejects.toMatchObject({ code: 'KUR_TESTENV_VOLUME_NAME' });
});

it('reads mount points, also with spaces', () => {
  const text = '22 1 0:21 / /proc rw - proc proc rw\n23 1 7:0 / /with\\040space rw shared:1 - ext4 /dev/loop0 rw\n';
  expect([...mountPoints(text)]).toEqual(['/proc', '/with space']);
});
