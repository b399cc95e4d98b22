/** What a machine looks like from outside a cluster: everything that a cluster could forget to take along. */

import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Each list is sorted; two snapshots of an unchanged machine are equal. */
export interface MachineSnapshot {
  processes: string[];
  namespaces: string[];
  mounts: string[];
  links: string[];
  routes: string[];
  rules: string[];
  cgroups: string[];
  loopDevices: string[];
}

/**
 * `marker` is a path that only the clusters under test know: processes count if they name it, or if they live in a
 * namespace of their own. Others come and go on any machine.
 */
export async function machineSnapshot(marker: string): Promise<MachineSnapshot> {
  const [processes, namespaces] = await processesAndNamespaces(marker);
  return {
    processes,
    namespaces,
    mounts: sorted(
      (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ').slice(4).join(' ')),
    ),
    links: await namesOf('ip', ['-j', 'link', 'show'], 'ifname'),
    routes: sorted((await run('ip', ['route', 'show', 'table', 'all'])).stdout.split('\n').map((line) => line.trim())),
    rules: sorted((await run('iptables-save', [])).stdout.split('\n').filter((line) => /^[-*]/.test(line))),
    cgroups: sorted(await foldersNamed('/sys/fs/cgroup', 'kurator')),
    loopDevices: sorted((await run('losetup', ['--noheadings', '--output', 'NAME,BACK-FILE'])).stdout.split('\n')),
  };
}

async function processesAndNamespaces(marker: string): Promise<[string[], string[]]> {
  const own = await namespacesOf('self');
  const processes: string[] = [];
  const namespaces = new Set<string>();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [command, its] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      namespacesOf(pid),
    ]);
    for (const namespace of its) namespaces.add(namespace);
    const foreign = its.some((namespace) => !own.includes(namespace));
    if (Number(pid) !== process.pid && (command.includes(marker) || foreign))
      processes.push(`${pid} ${command.replaceAll('\0', ' ')}`);
  }
  return [sorted(processes), sorted([...namespaces])];
}

async function namespacesOf(pid: string): Promise<string[]> {
  const kinds = ['net', 'pid', 'mnt', 'uts', 'ipc'];
  const links = await Promise.all(kinds.map((kind) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => '')));
  return links.filter(Boolean);
}

async function namesOf(command: string, args: string[], field: string): Promise<string[]> {
  const { stdout } = await run(command, args);
  return sorted((JSON.parse(stdout) as Record<string, string>[]).map((item) => item[field] ?? ''));
}

async function foldersNamed(root: string, name: string, depth = 2): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async (entry) => {
        const path = join(root, entry.name);
        const below = depth > 1 || entry.name.includes(name) ? await foldersNamed(path, name, depth - 1) : [];
        return entry.name.includes(name) ? [path, ...below] : below;
      }),
  );
  return found.flat();
}

function sorted(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .sort();
}
