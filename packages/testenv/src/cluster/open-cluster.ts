/** Finding clusters that other processes made. */
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { until } from '../internal/until.ts';
import { type Cluster, clusterAt } from './cluster.ts';
import { type ClusterConfig, clusterFiles, clustersFolder, readConfig } from './cluster-config.ts';
import { lifeOf } from './lifetime.ts';

/**
 * `starting` until it takes orders, and again while it is taken down. `dead`: its supervisor was killed, or the machine
 * was rebooted, and what is left is removed by the next `up` or `down`. `elsewhere`: made on another machine that shares
 * the state folder, or by a container before the last reboot; `down` removes what is here.
 */
export type ClusterState = 'running' | 'starting' | 'dead' | 'elsewhere';

/** A cluster as a list shows it. */
export interface ClusterSummary {
  readonly name: string;
  readonly state: ClusterState;
  /** Kubernetes' version without a `v`. */
  readonly version: string;
  readonly nodes: number;
  /** As in `2026-05-01T12:00:00.000Z`. */
  readonly createdAt: string;
  readonly folder: string;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

/** Every cluster of this user on this machine, by name. */
export async function listClusters(): Promise<ClusterSummary[]> {
  const names = (await readdir(clustersFolder()).catch(() => [])).filter((name) => !name.startsWith('.'));
  const summaries = await Promise.all(names.sort().map((name) => summaryOf(join(clustersFolder(), name))));
  return summaries.filter((summary) => summary !== undefined);
}

/** The cluster of this name, whatever its state; an error that names the others if there is none. Default: `kurator`. */
export async function openCluster(name = 'kurator'): Promise<Cluster> {
  const all = await listClusters();
  const found = all.find((cluster) => cluster.name === name);
  const config = found && (await readConfig(found.folder).catch(() => undefined));
  if (config) return clusterAt(found.folder, config);
  const others = all.filter((cluster) => cluster !== found).map((cluster) => cluster.name);
  throw new TestenvError('KUR_TESTENV_NO_CLUSTER', `there is no cluster called "${name}"`, {
    remedy: others.length > 0 ? `choose one with --name: ${others.join(', ')}` : 'make one: kurator cluster up',
  });
}

/** What may cut the waiting short. */
export interface RunningOptions {
  /** Milliseconds; three minutes unless told. */
  timeout?: number;
  signal?: AbortSignal;
}

/** Waits for a cluster that another process is just starting; false as soon as it is clear that it never will run. */
export async function startsRunning(
  cluster: Cluster,
  { timeout = 180_000, signal }: RunningOptions = {},
): Promise<boolean> {
  const state = await until(
    `the cluster "${cluster.name}", which another process is starting`,
    async () => {
      if ((await lifeOf(cluster.folder)) !== 'alive') return 'dead';
      return (await isServing(cluster.folder)) && (await cluster.status()) && 'running';
    },
    { timeout, interval: 100, ...(signal ? { signal } : {}) },
  );
  return state === 'running';
}

async function summaryOf(folder: string): Promise<ClusterSummary | undefined> {
  const config: ClusterConfig | undefined = await readConfig(folder).catch(() => undefined);
  if (!config) return undefined;
  const { name, version, nodes, createdAt } = config;
  const { kubeconfig } = clusterFiles(folder);
  return { name, state: await stateOf(folder), version, nodes, createdAt, folder, kubeconfig };
}

async function stateOf(folder: string): Promise<ClusterState> {
  const life = await lifeOf(folder);
  if (life !== 'alive') return life;
  return (await isServing(folder)) ? 'running' : 'starting';
}

/** The control socket is the last thing that a starting cluster makes. */
async function isServing(folder: string): Promise<boolean> {
  return await access(clusterFiles(folder).socket).then(
    () => true,
    () => false,
  );
}
