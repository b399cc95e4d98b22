/**
 * What one cluster has on this machine, while it runs and after. Unlike a snapshot of the whole machine, it can be
 * taken while other clusters come and go.
 */
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '@kurator/testenv';
import { familyOf, namespacesOf, processRecords } from './processes.ts';

/** What a cluster had at some moment. */
export interface Belongings {
  /** Number and start time: a number alone may come again. */
  readonly processes: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  /** Files and folders, `/sys` and `/proc` included. */
  readonly paths: readonly string[];
}

/** Everything that descends from a cluster's supervisor, and where it lives. */
export async function belongingsOf(cluster: Cluster): Promise<Belongings> {
  const { supervisor, device = '' } = await cluster.status();
  const members = familyOf([String(supervisor.pid)], await processRecords());
  const own = await namespacesOf('self');
  const hierarchies = (await readdir('/sys/fs/cgroup')).map((name) => join('/sys/fs/cgroup', name));
  return {
    processes: new Set(members.map(({ identity }) => identity)),
    namespaces: new Set(members.flatMap(({ namespaces }) => namespaces).filter((it) => !own.includes(it))),
    paths: [
      cluster.folder,
      `/sys/class/net/${device}`,
      ...['/sys/fs/cgroup', ...hierarchies].map((hierarchy) =>
        join(hierarchy, 'kurator', `${cluster.name}-${cluster.config.id}`),
      ),
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
