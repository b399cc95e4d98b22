/**
 * What one cluster has on this machine, while it runs and after. Unlike a snapshot of the whole machine, it can be
 * taken while other clusters come and go.
 */
import { access, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '@kurator/testenv';

/** What a cluster had at some moment. */
export interface Belongings {
  /** Number and start time: a number alone may come again. */
  readonly processes: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  /** Files and folders, `/sys` and `/proc` included. */
  readonly paths: readonly string[];
}

interface ProcessRecord {
  readonly pid: string;
  readonly parent: string;
  readonly identity: string;
  readonly namespaces: readonly string[];
}

/** Everything that descends from a cluster's supervisor, and where it lives. */
export async function belongingsOf(cluster: Cluster): Promise<Belongings> {
  const { supervisor, network = '' } = await cluster.status();
  const all = await processRecords();
  const family = new Set([String(supervisor.pid)]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  const members = all.filter(({ pid }) => family.has(pid));
  const own = await namespacesOf('self');
  const hierarchies = (await readdir('/sys/fs/cgroup')).map((name) => join('/sys/fs/cgroup', name));
  return {
    processes: new Set(members.map(({ identity }) => identity)),
    namespaces: new Set(members.flatMap(({ namespaces }) => namespaces).filter((it) => !own.includes(it))),
    paths: [
      cluster.folder,
      `/sys/class/net/kur${network.split('.')[1]}`,
      ...['/sys/fs/cgroup', ...hierarchies].map((hierarchy) => join(hierarchy, 'kurator', cluster.name)),
    ],
  };
}

/** Which of it is still there, in words. */
export async function remainsOf({ processes, namespaces, paths }: Belongings): Promise<string[]> {
  const all = await processRecords();
  const held = all.flatMap((it) =>
    it.namespaces.filter((namespace) => namespaces.has(namespace)).map((namespace) => `${it.pid} in ${namespace}`),
  );
  const existing = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8'))
    .split('\n')
    .filter((line) => line.includes(paths[0] ?? ''));
  return [
    ...all.filter(({ identity }) => processes.has(identity)).map(({ pid }) => `process ${pid}`),
    ...held,
    ...existing.flat(),
    ...mounts,
  ];
}

async function processRecords(): Promise<ProcessRecord[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return (await Promise.all(pids.map(processRecord))).filter((it) => it !== undefined);
}

async function processRecord(pid: string): Promise<ProcessRecord | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // A command's name may have spaces and parentheses in it; what follows the last one has not.
  const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!parent) return undefined;
  return { pid, parent, identity: `${pid} since ${rest[17]}`, namespaces: await namespacesOf(pid) };
}

async function namespacesOf(pid: string): Promise<string[]> {
  const kinds = ['net', 'pid', 'mnt', 'uts', 'ipc'];
  const links = await Promise.all(kinds.map((kind) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => '')));
  return links.filter(Boolean);
}
