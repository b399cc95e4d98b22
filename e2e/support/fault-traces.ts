/** What a fault consists of, looked for from outside the cluster. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Cluster } from '@kurator/testenv';

const run = promisify(execFile);

/** The rules of faults in every machine's network. */
export async function rulesOnMachines(cluster: Cluster): Promise<string[]> {
  const { components } = await cluster.status();
  const pids = new Map(components.flatMap(({ machine, pid }) => (machine && pid ? [[machine, pid]] : [])));
  const saved = await Promise.all(
    [...pids.values()].map((pid) => run('nsenter', ['-t', String(pid), '-n', 'iptables-save'])),
  );
  return saved.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line.includes('KUR-')));
}

/** The command lines of running processes that have `text` in them. */
export async function processesWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.map((line) => line.replaceAll('\0', ' ')).filter((line) => line.includes(text));
}
