/**
 * The part of the kernel's cgroup tree that a cluster's pods live in: `kurator/CLUSTER-ID/MACHINE`
 * in every hierarchy (version 1) or in the one there is (version 2).
 */
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { until } from '../internal/until.ts';
import { identify, signalProcess } from '../process/process-identity.ts';

export const cgroupParent = 'kurator';

/** What tells a cluster from every other: a later one of its name has another `id`. */
export interface ClusterIdentity {
  readonly name: string;
  readonly id: string;
}

/** Where a cluster's pods are in the cgroup tree, and nobody else's. */
export function cgroupOf({ name, id }: ClusterIdentity): string {
  return `${cgroupParent}/${name}-${id}`;
}

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
  for (const pid of await pidsOf(folder)) signalProcess(identify(Number(pid)), 'SIGKILL');
}

async function pidsOf(folder: string): Promise<string[]> {
  return (await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
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

/** Lets the groups below `folder` use all controllers that it has itself. */
async function delegateControllers(folder: string): Promise<void> {
  const available = await readFile(join(folder, 'cgroup.controllers'), 'utf8').catch(() => '');
  const controllers = available.split(/\s+/).filter(Boolean);
  if (controllers.length === 0) return;
  // Before the first is tried: some are given on beside processes, and make the group one whose others never can be.
  if (!(await isRootOfMachine(folder))) await stepAside(folder);
  for (const controller of controllers) await delegate(folder, controller);
}

/** The kernel tells the type of every group but the root of them all. */
async function isRootOfMachine(folder: string): Promise<boolean> {
  return await access(join(folder, 'cgroup.type')).then(
    () => false,
    () => true,
  );
}

/** How the kernel says that processes are in the way. */
const OCCUPIED = new Set<unknown>(['EBUSY', 'ENOTSUP']);

async function delegate(folder: string, controller: string): Promise<void> {
  const attempt = () => writeFile(join(folder, 'cgroup.subtree_control'), `+${controller}`);
  const problem = await attempt().catch((error: NodeJS.ErrnoException) => error);
  // Not every controller can be given on everywhere; should the kubelet need it, it says so.
  if (!OCCUPIED.has(problem?.code)) return;
  const again = async () => {
    await stepAside(folder);
    await attempt();
    return true;
  };
  // A process may have had a child while it was being moved.
  await until(`the cgroup controller ${controller} in ${folder}`, again, { timeout: 5000 }).catch((cause: unknown) => {
    throw new TestenvError(
      'KUR_TESTENV_KERNEL',
      `processes in the control group ${folder} keep ${controller} from the groups of pods, and can't be moved`,
      { remedy: 'give the container a cgroup namespace of its own (docker run --cgroupns=private)', cause },
    );
  });
}

/** Where the processes of a container go that were in the group which is its root. Other tools call it so, too. */
const BESIDE = 'init';

/**
 * Moves the processes of a group into one below it. Version 2 gives controllers to the groups below only where the group itself
 * has no processes. The root of a whole machine may have both; that of a container, where everything in it starts, may not.
 */
export async function stepAside(folder: string): Promise<void> {
  const pids = await pidsOf(folder);
  if (pids.length === 0) return;
  const beside = join(folder, BESIDE);
  await mkdir(beside, { recursive: true });
  // One may have ended, or be of another process namespace: that is told as 0, and can't be moved from here.
  for (const pid of pids) await writeFile(join(beside, 'cgroup.procs'), pid).catch(() => {});
}
