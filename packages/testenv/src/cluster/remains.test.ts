/** What a cluster left in its folder names a process id; by the time somebody reads it, a stranger may have that number. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hierarchies, removeCgroup } from '../machines/cgroups.ts';
import { ownerToken } from '../process/owner.ts';
import { identify } from '../process/process-identity.ts';
import { type ClusterConfig, clusterFiles, clustersFolder, readConfig, writeConfig } from './cluster-config.ts';
import { createCluster } from './create-cluster.ts';
import { recordHolder } from './lifetime.ts';
import { listClusters, openCluster } from './open-cluster.ts';

let home: string;
let stranger: ChildProcess;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'kurator-remains-'));
  vi.stubEnv('XDG_STATE_HOME', home);
  stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(stranger, 'spawn');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
  stranger.kill('SIGKILL');
});

const [, , machine = '', boot = '', namespace = '', random = ''] = ownerToken().split('-');
const another = '00000000';

/** What an `owner` file says whose process id is the stranger's. */
const records: Record<string, (stranger: { pid: number; startTime: string }) => string> = {
  'of a supervisor that started earlier': ({ pid }) =>
    `supervisor ${[pid, 1, machine, boot, namespace, random].join('-')}`,
  'of an earlier boot': ({ pid, startTime }) =>
    `supervisor ${[pid, startTime, machine, another, namespace, random].join('-')}`,
  'of a process namespace that is gone': ({ pid, startTime }) =>
    `supervisor ${[pid, startTime, machine, boot, another, random].join('-')}`,
  'that nobody can read': ({ pid }) => `${pid}`,
};

async function leaveFolder(record: string, id = 'aaaaaaaa'): Promise<string> {
  const folder = join(clustersFolder(), 'left');
  await mkdir(clusterFiles(folder).logs, { recursive: true });
  const config = { name: 'left', id, version: '1.36.3', nodes: 0, createdAt: new Date().toISOString() };
  await writeConfig(folder, config as ClusterConfig);
  await writeFile(clusterFiles(folder).owner, record);
  // A reboot leaves its file.
  await writeFile(clusterFiles(folder).socket, '');
  return folder;
}

function recordOf(name: string): string {
  return records[name]?.(identify(stranger.pid ?? 0) as { pid: number; startTime: string }) ?? '';
}

function expectUntouched(): void {
  expect(stranger).toMatchObject({ exitCode: null, signalCode: null });
  expect(identify(stranger.pid ?? 0)).toBeDefined();
}

describe.each(Object.keys(records))('a record %s', (name) => {
  it('is shown as dead', async () => {
    await leaveFolder(recordOf(name));
    expect(await listClusters()).toMatchObject([{ name: 'left', state: 'dead' }]);
  });

  it('is removed by `down`, and its process left alone', async () => {
    await leaveFolder(recordOf(name));
    await (await openCluster('left')).down();
    expectUntouched();
    expect(await readdir(clustersFolder())).toEqual([]);
  });

  it('is removed by `up`, which waits for nobody, and its process left alone', async () => {
    await leaveFolder(recordOf(name));
    const nothingHere = createCluster({ name: 'left', binaries: home });
    await expect(nothingHere).rejects.toMatchObject({ code: 'KUR_TESTENV_NO_BINARIES' });
    expectUntouched();
    expect(await readdir(clustersFolder())).toEqual([]);
  });
});

describe('a record of another machine that shares the folder', () => {
  const record = () => `supervisor ${[stranger.pid, 1, another, another, another, random].join('-')}`;

  it('is no remains to `up`, which says so', async () => {
    const folder = await leaveFolder(record());
    expect(await listClusters()).toMatchObject([{ state: 'elsewhere' }]);
    await expect(createCluster({ name: 'left' })).rejects.toMatchObject({ code: 'KUR_TESTENV_NAME_TAKEN' });
    expect(await readConfig(folder)).toMatchObject({ name: 'left' });
  });

  it('is removed by `down`, and its process left alone', async () => {
    await leaveFolder(record());
    await (await openCluster('left')).down();
    expectUntouched();
    expect(await readdir(clustersFolder())).toEqual([]);
  });
});

describe('a cluster whose supervisor is in another process namespace', () => {
  it('is alive as long as somebody listens on its socket, and is asked to end there', async () => {
    const folder = await leaveFolder(recordOf('of a process namespace that is gone'));
    await rm(clusterFiles(folder).socket);
    const asked: string[] = [];
    const supervisor = createServer((connection) => {
      connection.on('data', (data) => {
        asked.push(String(data).split('\r\n')[0] ?? '');
        connection.destroy();
        supervisor.close();
      });
    });
    await new Promise<void>((resolve) => supervisor.listen(clusterFiles(folder).socket, resolve));
    expect(await listClusters()).toMatchObject([{ state: 'running' }]);
    await (await openCluster('left')).down();
    expect(asked).toEqual(['POST /end HTTP/1.1']);
    expectUntouched();
    expect(await readdir(clustersFolder())).toEqual([]);
  });
});

describe('a cluster that another has taken the place of', () => {
  it('is not taken down a second time', async () => {
    const folder = await leaveFolder(recordOf('of an earlier boot'));
    const earlier = await openCluster('left');
    await leaveFolder('', 'bbbbbbbb');
    await recordHolder(folder, 'supervisor');
    await earlier.down();
    expect(await readConfig(folder)).toMatchObject({ id: 'bbbbbbbb' });
  });
});

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('cgroups', () => {
  const theirs = `kurator-remains-${process.pid}`;

  afterEach(async () => {
    await removeCgroup(theirs);
    await removeCgroup('kurator/left-bbbbbbbb');
  });

  it.each([
    ['of another cluster of the same name', 'aaaaaaaa', 'kurator/left-bbbbbbbb'],
    ["that are nobody's of ours", `aaaaaaaa/../../${theirs}`, theirs],
  ])('%s are left alone', async (_, id, cgroup) => {
    const [top] = (await hierarchies()).filter(({ controllers }) => !controllers.includes('cpuset'));
    const members = join(top?.mount ?? '', cgroup, 'cgroup.procs');
    await mkdir(dirname(members), { recursive: true });
    await writeFile(members, String(stranger.pid));
    await leaveFolder(recordOf('of an earlier boot'), id);
    await (await openCluster('left')).down();
    expectUntouched();
    expect(await readFile(members, 'utf8')).toBe(`${stranger.pid}\n`);
  });
});

describe('what is not a cluster', () => {
  it.each(['a file', 'a folder with something in it'])('is left where it is: %s', async (what) => {
    const path = join(clustersFolder(), 'left');
    await mkdir(what === 'a file' ? clustersFolder() : path, { recursive: true });
    const precious = what === 'a file' ? path : join(path, 'precious');
    await writeFile(precious, 'precious');
    await expect(createCluster({ name: 'left' })).rejects.toMatchObject({ code: 'KUR_TESTENV_NAME_TAKEN' });
    expect(await readFile(precious, 'utf8')).toBe('precious');
  });
});
