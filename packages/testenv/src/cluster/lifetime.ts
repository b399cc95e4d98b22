/** Whether a cluster's folder is that of a living cluster, and how the remains of a dead one are removed. */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownerToken, parseOwner } from '../internal/owner.ts';
import { cgroupOf, clusterFiles, clustersFolder } from './cluster-config.ts';
import { removeCgroup } from './machines/cgroups.ts';

export interface Supervisor {
  readonly pid: number;
  readonly alive: boolean;
}

/** The process that holds the cluster in this folder: at first the one that makes it, then its supervisor. */
export async function supervisorOf(folder: string): Promise<Supervisor | undefined> {
  const owner = parseOwner(await readFile(clusterFiles(folder).owner, 'utf8').catch(() => ''));
  return owner && { pid: owner.pid, alive: isAlive(owner) !== false };
}

/**
 * Takes a name by putting a folder in its place that already says who owns it: there is no moment at which
 * another process could see a folder without an owner. False when the name is taken.
 */
export async function claimFolder(folder: string, prepare: (claim: string) => Promise<void>): Promise<boolean> {
  const claim = join(clustersFolder(), `.claim-${ownerToken()}`);
  await mkdir(claim, { recursive: true, mode: 0o700 });
  try {
    await prepare(claim);
    await rename(claim, folder);
    return true;
  } catch (error) {
    await rm(claim, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Removes what a dead cluster left: its folder and, should its reaper have died too, its cgroups. */
export async function removeRemains(folder: string, name: string): Promise<void> {
  const grave = join(clustersFolder(), `.dead-${ownerToken()}`);
  const mine = await rename(folder, grave).then(
    () => true,
    () => false,
  );
  if (process.platform === 'linux' && process.getuid?.() === 0) await removeCgroup(cgroupOf(name));
  if (mine) await rm(grave, { recursive: true, force: true });
}

/** Removes claims and graves of processes that died before they could. */
export async function sweepLeftovers(): Promise<void> {
  const names = await readdir(clustersFolder()).catch(() => []);
  for (const name of names) {
    const owner = parseOwner(name.replace(/^\.(claim|dead)-/, ''));
    if (name.startsWith('.') && owner && isAlive(owner) === false) {
      await rm(join(clustersFolder(), name), { recursive: true, force: true });
    }
  }
}
