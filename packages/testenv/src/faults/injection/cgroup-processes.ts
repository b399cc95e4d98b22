/** Processes by the cgroup they are in, as the host sees them. */
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hierarchies } from '../../machines/cgroups.ts';

/** The first of these paths that is a cgroup. */
export async function findCgroup(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await folderOf(path)) return path;
  return undefined;
}

/** Every process in a cgroup and below it; none where it is gone. */
export async function pidsIn(cgroup: string): Promise<number[]> {
  const folder = await folderOf(cgroup);
  return folder ? await pidsBelow(folder) : [];
}

/** Puts a process into a cgroup, in every hierarchy. */
export async function joinCgroup(cgroup: string, pid: number): Promise<void> {
  for (const { mount } of await hierarchies()) {
    const file = join(mount, cgroup, 'cgroup.procs');
    if (await exists(file)) await writeFile(file, String(pid));
  }
}

/** The most memory that a cgroup and those above it allow, in bytes; infinite where they don't say. */
export async function memoryLimit(cgroup: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (const { mount } of await hierarchies()) {
    for (let path = cgroup; path !== '.'; path = join(path, '..')) {
      for (const file of ['memory.limit_in_bytes', 'memory.max']) {
        const limit = Number.parseInt(await readFile(join(mount, path, file), 'utf8').catch(() => ''), 10);
        if (limit < least) least = limit;
      }
    }
  }
  return least;
}

/** A process's short name; empty when it is gone. */
export async function commandName(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim();
}

/** Any hierarchy will do: a container is in all of them. */
async function folderOf(cgroup: string): Promise<string | undefined> {
  for (const { mount } of await hierarchies()) {
    if (await exists(join(mount, cgroup, 'cgroup.procs'))) return join(mount, cgroup);
  }
  return undefined;
}

async function pidsBelow(folder: string): Promise<number[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const own = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  const below = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map((entry) => pidsBelow(join(folder, entry.name))),
  );
  return [...own.split('\n').filter(Boolean).map(Number), ...below.flat()];
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
