/**
 * The part of the kernel's cgroup tree that a cluster's pods live in: `kurator/CLUSTER-ID/MACHINE`
 * in every hierarchy (version 1) or in the one there is (version 2).
 */
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { until } from '../../internal/until.ts';
import { identify, signalProcess } from '../../process/process-identity.ts';

export const cgroupParent = 'kurator';

export interface CgroupHierarchy {
  readonly version: 1 | 2;
  readonly mount: string;
  readonly controllers: readonly string[];
}

/** Reads the hierarchies out of `/proc/self/mountinfo`. */
export function parseHierarchies(mountinfo: string): CgroupHierarchy[] {
  return mountinfo
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap((fields): CgroupHierarchy[] => {
      const [type, , options = ''] = fields.slice(fields.indexOf('-') + 1);
      const mount = fields[4];
      if (!mount || (type !== 'cgroup' && type !== 'cgroup2')) return [];
      return [
        { version: type === 'cgroup2' ? 2 : 1, mount, controllers: options.split(',').filter((o) => o !== 'rw') },
      ];
    });
}

export async function hierarchies(): Promise<CgroupHierarchy[]> {
  return parseHierarchies(await readFile('/proc/self/mountinfo', 'utf8'));
}

/** Makes `path` below every hierarchy's root, ready to hold pods. */
export async function createCgroup(path: string): Promise<void> {
  for (const { version, mount, controllers } of await hierarchies()) {
    // Another cluster's end may take the group above away while ours is being made below it.
    await until(`the cgroup ${path}`, () => mkdir(join(mount, path), { recursive: true }).then(() => true), {
      timeout: 5000,
    });
    const groups = path.split('/').map((_, i, parts) => join(mount, ...parts.slice(0, i + 1)));
    for (const group of groups) if (controllers.includes('cpuset')) await inheritCpuset(group);
    for (const group of [mount, ...groups]) if (version === 2) await delegateControllers(group);
    await giveProcessorTime(join(mount, cgroupParent));
  }
}

/** Removes `path` and all below it from every hierarchy; what still lives there is ended first. */
export async function removeCgroup(path: string): Promise<void> {
  const folders = (await hierarchies()).map(({ mount }) => join(mount, path));
  await until(
    `the cgroups of ${path} to go`,
    async () => {
      const gone = await Promise.all(folders.map(removeTree));
      return gone.every(Boolean);
    },
    { timeout: 10_000 },
  );
}

async function removeTree(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (!entries) return true;
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  await endProcesses(folder);
  return await rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

async function endProcesses(folder: string): Promise<void> {
  const pids = (await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  for (const pid of pids) signalProcess(identify(Number(pid)), 'SIGKILL');
}

async function inheritCpuset(folder: string): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const own = await readFile(join(folder, file), 'utf8');
    if (own.trim() === '') await writeFile(join(folder, file), await readFile(join(folder, '..', file), 'utf8'));
  }
}

/**
 * A group counts as one process beside those outside of it, so all pods of all clusters would share what one program of
 * the host gets: on a busy machine services would look ill. A real node gives them the most of it, too.
 */
async function giveProcessorTime(group: string): Promise<void> {
  const processes = 8 * availableParallelism();
  const inVersion1 = writeFile(join(group, 'cpu.shares'), String(1024 * processes), { flag: 'r+' });
  const inVersion2 = writeFile(join(group, 'cpu.weight'), String(Math.min(100 * processes, 10_000)), { flag: 'r+' });
  // A hierarchy has the one file, the other or neither: by its version and controllers.
  await Promise.allSettled([inVersion1, inVersion2]);
}

async function delegateControllers(folder: string): Promise<void> {
  const available = await readFile(join(folder, 'cgroup.controllers'), 'utf8').catch(() => '');
  for (const controller of available.split(/\s+/).filter(Boolean)) {
    await writeFile(join(folder, 'cgroup.subtree_control'), `+${controller}`).catch(() => {});
  }
}
