/** The processes of this machine, who began whom, and the namespaces they live in. */
import { readdir, readFile, readlink } from 'node:fs/promises';

export interface ProcessRecord {
  readonly pid: string;
  readonly parent: string;
  /** Number and start time: a number alone may come again. */
  readonly identity: string;
  readonly command: string;
  readonly namespaces: readonly string[];
}

/** These processes and all that descend from them. */
export function familyOf(pids: Iterable<string>, all: readonly ProcessRecord[]): ProcessRecord[] {
  const family = new Set(pids);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid));
}

export async function processRecords(): Promise<ProcessRecord[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return (await Promise.all(pids.map(processRecord))).filter((it) => it !== undefined);
}

async function processRecord(pid: string): Promise<ProcessRecord | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // A command's name may have spaces and parentheses in it; what follows the last one has not.
  const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!parent) return undefined;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return {
    pid,
    parent,
    identity: `${pid} since ${rest[17]}`,
    command: command.replaceAll('\0', ' ').trim(),
    namespaces: await namespacesOf(pid),
  };
}

/** Of the kinds that a cluster makes. */
export async function namespacesOf(pid: string): Promise<string[]> {
  const kinds = ['net', 'pid', 'mnt', 'uts', 'ipc'];
  const links = await Promise.all(kinds.map((kind) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => '')));
  return links.filter(Boolean);
}
