/** Whether pods can have control groups here: which controllers there are, and whether groups can be made. */
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CgroupHierarchy, hierarchies } from '../machines/cgroups.ts';

/** What the kubelet refuses to start without. Version 1 counts CPU time in a controller of its own. */
const requiredControllers = { 1: ['cpu', 'cpuacct', 'cpuset', 'memory'], 2: ['cpu', 'cpuset', 'memory'] } as const;

export interface CgroupFacts {
  /** The version whose controllers are used; undefined where none is mounted. */
  readonly version?: 1 | 2;
  readonly controllers: readonly string[];
  /** Mounts in which no group can be made, most often because they are mounted read-only. */
  readonly unwritable: readonly string[];
}

export async function gatherCgroupFacts(): Promise<CgroupFacts> {
  const mounted = await hierarchies().catch(() => []);
  const offers = await Promise.all(mounted.map(controllersOf));
  const used = offers.some((controllers, i) => mounted[i]?.version === 1 && controllers.includes('cpu')) ? 1 : 2;
  const controllers = offers.filter((_, i) => mounted[i]?.version === used).flat();
  const writable = await Promise.all(mounted.map(({ mount }) => canMakeGroup(mount)));
  return {
    ...(mounted.length > 0 ? { version: used } : {}),
    controllers,
    unwritable: mounted.filter((_, i) => !writable[i]).map(({ mount }) => mount),
  };
}

export function missingControllers({ version, controllers }: CgroupFacts): string[] {
  return requiredControllers[version ?? 2].filter((controller) => !controllers.includes(controller));
}

async function controllersOf({ version, mount, controllers }: CgroupHierarchy): Promise<readonly string[]> {
  if (version === 1) return controllers;
  const text = await readFile(join(mount, 'cgroup.controllers'), 'utf8').catch(() => '');
  return text.split(/\s+/).filter(Boolean);
}

async function canMakeGroup(mount: string): Promise<boolean> {
  const scratch = join(mount, `kurator-trial-${process.pid}`);
  try {
    await mkdir(scratch);
    await rmdir(scratch);
    return true;
  } catch {
    return false;
  }
}
