/**
 * What a machine looks like from outside a cluster: everything that a cluster could forget to take along. Clusters that
 * others run on the same machine are left out, so that they may come and go.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { familyOf, namespacesOf, type ProcessRecord, processRecords } from './processes.ts';

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

/** How the clusters under test are told from others. */
export interface Ours {
  /** Where their folders are: nobody else's are there. */
  home: string;
  /** What their names begin with. */
  prefix: string;
}

export async function machineSnapshot({ home, prefix }: Ours): Promise<MachineSnapshot> {
  const others = await othersDevices(prefix);
  const ofOthers = (text: string) => others.some((device) => text.split(/[\s@:]/).includes(device));
  const loopDevices = (await run('losetup', ['--noheadings', '--output', 'NAME,BACK-FILE'])).stdout.split('\n');
  return {
    ...(await processesAndNamespaces(home)),
    mounts: sorted(
      (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ').slice(4).join(' ')),
    ),
    links: (await deviceAliases()).map(({ name }) => name).filter((name) => !others.includes(name)),
    routes: sorted((await run('ip', ['route', 'show', 'table', 'all'])).stdout.split('\n')).filter(
      (line) => !ofOthers(line),
    ),
    rules: sorted((await run('iptables-save', [])).stdout.split('\n').filter((line) => /^[-*]/.test(line))),
    cgroups: await cgroups(prefix),
    loopDevices: sorted(loopDevices).filter((line) => line.includes(home)),
  };
}

/** Those that name our folder, and those that live in a namespace of their own; but nothing of other clusters. */
async function processesAndNamespaces(home: string): Promise<Pick<MachineSnapshot, 'processes' | 'namespaces'>> {
  const all = await processRecords();
  const others = new Set(familyOf(await othersSupervisors(all, home), all));
  const own = await namespacesOf('self');
  const rest = all.filter((record) => !others.has(record));
  const conspicuous = rest.filter(
    ({ pid, command, namespaces }) =>
      Number(pid) !== process.pid &&
      (command.includes(home) || namespaces.some((namespace) => !own.includes(namespace))),
  );
  return {
    processes: sorted(conspicuous.map(({ pid, command }) => `${pid} ${command}`)),
    namespaces: sorted([...new Set(rest.flatMap(({ namespaces }) => namespaces))]),
  };
}

async function othersSupervisors(all: readonly ProcessRecord[], home: string): Promise<string[]> {
  const supervisors = all.filter(({ command }) => command.startsWith('kurator-supervisor'));
  const environments = await Promise.all(
    supervisors.map(({ pid }) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
  );
  return supervisors.filter((_, i) => !environments[i]?.includes(home)).map(({ pid }) => pid);
}

async function deviceAliases(): Promise<{ name: string; alias: string }[]> {
  const links = JSON.parse((await run('ip', ['-j', 'link', 'show'])).stdout) as { ifname: string; ifalias?: string }[];
  return links.map(({ ifname, ifalias = '' }) => ({ name: ifname, alias: ifalias }));
}

/** A cluster writes its name on its device. */
async function othersDevices(prefix: string): Promise<string[]> {
  const clusters = (await deviceAliases()).filter(({ alias }) => alias.startsWith('kurator:'));
  return clusters.filter(({ alias }) => !alias.startsWith(`kurator:${prefix}`)).map(({ name }) => name);
}

/** Our clusters' groups in every hierarchy, and the group above them where it has no other reason to be there. */
async function cgroups(prefix: string): Promise<string[]> {
  const tops = (await readdir('/sys/fs/cgroup')).map((name) => join('/sys/fs/cgroup', name, 'kurator'));
  const found = await Promise.all(
    [...tops, '/sys/fs/cgroup/kurator'].map(async (parent) => {
      const entries = await readdir(parent, { withFileTypes: true }).catch(() => undefined);
      if (!entries) return [];
      const groups = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      if (groups.length === 0) return [parent];
      return groups.filter((name) => name.startsWith(prefix)).map((name) => join(parent, name));
    }),
  );
  return sorted(found.flat());
}

function sorted(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .sort();
}
