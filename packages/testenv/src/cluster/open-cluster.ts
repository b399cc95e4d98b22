/** Finding clusters that other processes made. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TestenvError } from '../error.ts';
import { type Cluster, clusterAt } from './cluster.ts';
import { type ClusterConfig, clustersFolder, readConfig } from './cluster-config.ts';
import { supervisorOf } from './lifetime.ts';

export interface ClusterSummary {
  readonly name: string;
  /** `dead`: its supervisor was killed, and what is left is removed by the next `up` or `down`. */
  readonly state: 'running' | 'dead';
  readonly version: string;
  readonly nodes: number;
  readonly createdAt: string;
  readonly folder: string;
}

/** Every cluster of this user on this machine, by name. */
export async function listClusters(): Promise<ClusterSummary[]> {
  const names = (await readdir(clustersFolder()).catch(() => [])).filter((name) => !name.startsWith('.'));
  const summaries = await Promise.all(names.sort().map((name) => summaryOf(join(clustersFolder(), name))));
  return summaries.filter((summary) => summary !== undefined);
}

/** The cluster of this name; an error that names the others if there is none. */
export async function openCluster(name = 'kurator'): Promise<Cluster> {
  const folder = join(clustersFolder(), name);
  const config = await readConfig(folder).catch(() => undefined);
  if (config) return clusterAt(folder, config);
  const others = (await listClusters()).map((cluster) => cluster.name);
  throw new TestenvError('KUR_TESTENV_NO_CLUSTER', `there is no cluster called "${name}"`, {
    remedy: others.length > 0 ? `there is ${others.join(', ')}; choose with --name` : 'make one: kurator cluster up',
  });
}

async function summaryOf(folder: string): Promise<ClusterSummary | undefined> {
  const config: ClusterConfig | undefined = await readConfig(folder).catch(() => undefined);
  if (!config) return undefined;
  const { name, version, nodes, createdAt } = config;
  const alive = (await supervisorOf(folder))?.alive;
  return { name, state: alive ? 'running' : 'dead', version, nodes, createdAt, folder };
}
