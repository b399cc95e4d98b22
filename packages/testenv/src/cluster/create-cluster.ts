/** Making a cluster: check, fetch, claim the name, start its supervisor, wait until it is ready. */

import { randomBytes } from 'node:crypto';
import { cp, mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { stateFolder } from '../folders.ts';
import { silent } from '../reporter.ts';
import { type Cluster, clusterAt } from './cluster.ts';
import { clusterFiles, clustersFolder, readConfig, writeConfig } from './cluster-config.ts';
import { type ClusterOptions, checkOptions } from './cluster-options.ts';
import { configure } from './configure.ts';
import { claimFolder, lifeOf, removeRemains, sweepLeftovers } from './lifetime.ts';
import { startsRunning } from './open-cluster.ts';
import { startSupervisor } from './start-supervisor.ts';

/** What {@link createCluster} gives. */
export interface CreatedCluster {
  cluster: Cluster;
  /** False if a cluster of this name and shape was already running. */
  created: boolean;
}

/** Makes a cluster and waits until it is ready; one of the same name and shape that is there already will do. */
export async function createCluster(options: ClusterOptions = {}): Promise<CreatedCluster> {
  const { reporter = silent, signal } = options;
  const { name, nodes } = checkOptions(options);
  const folder = join(clustersFolder(), name);
  await mkdir(clustersFolder(), { recursive: true, mode: 0o700 });
  await sweepLeftovers();

  const running = await runningCluster(folder, options);
  if (running) return { cluster: sameOrRefuse(running, options), created: false };

  const config = await configure(options, name, nodes);
  const claimed = await claimFolder(folder, async (claim) => {
    await mkdir(clusterFiles(claim).logs);
    await writeConfig(claim, config);
  });
  // Somebody else was quicker by a moment: then theirs is the cluster.
  if (!claimed) return await createCluster(options);
  try {
    signal?.throwIfAborted();
    await startSupervisor(folder, { reporter, signal, detached: options.detached ?? false });
  } catch (error) {
    const kept = signal?.aborted ? undefined : await keepLogs(folder, name);
    await removeRemains(folder, config);
    throw kept && error instanceof TestenvError ? withLogsAt(error, clusterFiles(folder).logs, kept) : error;
  }
  return { cluster: clusterAt(folder, config), created: true };
}

/** The logs of a start that failed, where the next failed start of that name puts its own. */
async function keepLogs(folder: string, name: string): Promise<string> {
  const kept = stateFolder('failures', name);
  await rm(kept, { recursive: true, force: true });
  await cp(clusterFiles(folder).logs, kept, { recursive: true });
  return kept;
}

function withLogsAt(error: TestenvError, logs: string, kept: string): TestenvError {
  const remedy = error.remedy?.replaceAll(logs, kept) ?? `its logs are in ${kept}`;
  return new TestenvError(error.code, error.message.replaceAll(logs, kept), { remedy, cause: error });
}

/** The cluster in this folder, if it lives, once it is ready; remains of a dead one are removed. */
async function runningCluster(
  folder: string,
  { reporter = silent, signal }: ClusterOptions,
): Promise<Cluster | undefined> {
  const config = await readConfig(folder).catch(() => undefined);
  if (!config) return await makeRoom(folder);
  const life = await lifeOf(folder);
  if (life === 'elsewhere') throw madeElsewhere(config.name, folder);
  if (life === 'alive') {
    const cluster = clusterAt(folder, config);
    return (await startsRunning(cluster, signal ? { signal } : {})) ? cluster : undefined;
  }
  reporter.info(`Removing what a dead cluster left in ${folder}`);
  await removeRemains(folder, config);
  return undefined;
}

/** What is not a cluster's, and holds something, is somebody's. */
async function makeRoom(folder: string): Promise<undefined> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return;
    throw new TestenvError('KUR_TESTENV_NAME_TAKEN', `something that is not a cluster is in the way: ${folder}`, {
      remedy: 'move it away, or choose another --name',
      cause: error,
    });
  });
}

function madeElsewhere(name: string, folder: string): TestenvError {
  return new TestenvError(
    'KUR_TESTENV_NAME_TAKEN',
    `a cluster called "${name}" was made on another machine, or in a container that is gone: ${folder}`,
    { remedy: `remove it, if it no longer runs there: kurator cluster down --name ${name}; or choose another --name` },
  );
}

function sameOrRefuse(cluster: Cluster, options: ClusterOptions): Cluster {
  const { config } = cluster;
  const differences = [
    options.nodes !== undefined &&
      options.nodes !== config.nodes &&
      `it has ${config.nodes} nodes, not ${options.nodes}`,
    options.closed !== undefined &&
      options.closed !== config.closed &&
      (config.closed ? 'it is closed: it pulls no images' : 'it is not closed: it pulls images'),
    options.version !== undefined &&
      !config.version.startsWith(options.version.replace(/^v/, '')) &&
      `it runs Kubernetes ${config.version}, not ${options.version}`,
  ].filter(Boolean);
  if (differences.length === 0) return cluster;
  throw new TestenvError(
    'KUR_TESTENV_NAME_TAKEN',
    `a cluster called "${config.name}" is already running: ${differences.join(', ')}`,
    {
      remedy: `take it down first (kurator cluster down --name ${config.name}) or choose another --name`,
    },
  );
}

/**
 * A cluster for one test: under a name that nobody else has, and gone with this process at the latest.
 * `await using cluster = await testCluster({ nodes: 1 })` takes it down at the end of the block.
 */
export async function testCluster(options: Omit<ClusterOptions, 'name' | 'detached'> = {}): Promise<Cluster> {
  const { cluster } = await createCluster({
    ...options,
    name: `test-${process.pid}-${randomBytes(3).toString('hex')}`,
  });
  return cluster;
}
