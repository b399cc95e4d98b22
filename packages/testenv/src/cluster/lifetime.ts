/** Whether a cluster's folder is that of a living cluster, how it is ended, and how the remains of a dead one are removed. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../internal/until.ts';
import { cgroupOf, cgroupParent, removeCgroup } from '../machines/cgroups.ts';
import { isAlive, isOfThisBoot, type Owner, ownerToken, parseOwner } from '../process/owner.ts';
import { signalProcess } from '../process/process-identity.ts';
import { type ClusterConfig, clusterFiles, clustersFolder, readConfig } from './cluster-config.ts';
import { askSupervisor } from './control-client.ts';

/** Who holds a cluster: at first the process that makes it, which is anybody's; then its supervisor. */
type Role = 'maker' | 'supervisor';

interface Holder {
  readonly role: Role;
  readonly owner: Owner;
}

/**
 * `alive`: its holder is. `dead`: only remains are left. `elsewhere`: made on another machine that shares this folder,
 * or in a container on an earlier boot; whether it lives can't be known here.
 */
export type Life = 'alive' | 'dead' | 'elsewhere';

const DOWN_DEADLINE = 20_000;

/** Puts this process down as the cluster's holder: there is no moment at which the record is half written. */
export async function recordHolder(folder: string, role: Role): Promise<void> {
  const { owner } = clusterFiles(folder);
  await writeFile(`${owner}.new`, `${role} ${ownerToken()}`);
  await rename(`${owner}.new`, owner);
}

async function holderOf(folder: string): Promise<Holder | undefined> {
  const text = await readFile(clusterFiles(folder).owner, 'utf8').catch(() => '');
  const [role, token = ''] = text.split(' ');
  const owner = parseOwner(token);
  return owner && (role === 'maker' || role === 'supervisor') ? { role, owner } : undefined;
}

/** How it is with the cluster in this folder. One without a record that can be read is dead. */
export async function lifeOf(folder: string): Promise<Life> {
  const holder = await holderOf(folder);
  if (!holder) return 'dead';
  const alive = isAlive(holder.owner);
  if (alive ?? (await hasListener(clusterFiles(folder).socket))) return 'alive';
  return alive === undefined && !isOfThisBoot(holder.owner) ? 'elsewhere' : 'dead';
}

/** A socket's listener is on this kernel or nowhere, in whichever container it may be. */
async function hasListener(socket: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}

/** Ends a cluster that lives, and waits for its end. What is left then are remains. */
export async function endSupervisor(folder: string, config: ClusterConfig): Promise<void> {
  const { name } = config;
  const ended = async () => (await lifeOf(folder)) !== 'alive' || (await isReplaced(folder, config));
  const isHeld = async () => (await ended()) || (await holderOf(folder))?.role === 'supervisor';
  await until(`the supervisor of ${name}, which another process is starting`, isHeld, { timeout: DOWN_DEADLINE });
  if (await ended()) return;
  await tellSupervisor(folder, 'SIGTERM');
  await until(`the supervisor of ${name} to end`, ended, { timeout: DOWN_DEADLINE }).catch(async () => {
    await tellSupervisor(folder, 'SIGKILL');
    await until(`the supervisor of ${name} to end`, ended, { timeout: DOWN_DEADLINE });
  });
}

/** By a signal where it is known which process that is; otherwise over its socket, on which nobody else listens. */
async function tellSupervisor(folder: string, signal: NodeJS.Signals): Promise<void> {
  const holder = await holderOf(folder);
  if (holder?.role !== 'supervisor') return;
  if (isAlive(holder.owner) !== undefined) signalProcess(holder.owner, signal);
  // It may end before it has answered.
  else await askSupervisor(clusterFiles(folder).socket, 'POST', 'end').catch(() => {});
}

/**
 * Takes a name by putting a folder in its place that already says who owns it: there is no moment at which
 * another process could see a folder without an owner. False when the name is taken.
 */
export async function claimFolder(folder: string, prepare: (claim: string) => Promise<void>): Promise<boolean> {
  const claim = join(clustersFolder(), `.claim-${ownerToken()}`);
  await mkdir(claim, { recursive: true, mode: 0o700 });
  try {
    await recordHolder(claim, 'maker');
    await prepare(claim);
    await rename(claim, folder);
    return true;
  } catch (error) {
    await rm(claim, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Whether the folder is by now that of another cluster of the same name. */
async function isReplaced(folder: string, { id }: ClusterConfig): Promise<boolean> {
  const now = await readConfig(folder).catch(() => undefined);
  return now !== undefined && now.id !== id;
}

/**
 * Removes what a dead cluster left: its folder and, should its reaper have died too, its cgroups, which no other
 * cluster can have.
 */
export async function removeRemains(folder: string, config: ClusterConfig): Promise<void> {
  if (await isReplaced(folder, config)) return;
  const grave = join(clustersFolder(), `.dead-${ownerToken()}`);
  const mine = await rename(folder, grave).then(
    () => true,
    () => false,
  );
  const cgroup = cgroupOf(config);
  if (isClusterCgroup(cgroup) && process.getuid?.() === 0) await removeCgroup(cgroup);
  if (mine) await rm(grave, { recursive: true, force: true });
}

/** A folder's words are not to be trusted blindly: no other path of the tree may ever be removed. */
function isClusterCgroup(path: string): boolean {
  return process.platform === 'linux' && new RegExp(`^${cgroupParent}/[a-z0-9-]+-[0-9a-f]{8}$`).test(path);
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
