import { readFile } from 'node:fs/promises';
import type { RunningCluster } from './running-cluster.ts';

/** One program of a cluster. */
export interface ComponentStatus {
  name: string;
  /** The machine it runs on; undefined for a control plane alone. */
  machine?: string;
  running: boolean;
  pid?: number;
  /** Bytes of memory that it holds now. */
  memory?: number;
}

/** A cluster as its supervisor sees it now. */
export interface ClusterStatus {
  name: string;
  version: string;
  nodeVersion: string;
  server: string;
  /** The range that everything in the cluster has its address from; undefined for a control plane alone. */
  network?: string;
  /** This machine's end of the one cable into the cluster; undefined for a control plane alone. */
  device?: string;
  /** This machine, as the cluster's pods reach it; undefined for a control plane alone. */
  host?: string;
  nodes: { name: string; address: string; pods: string; on: boolean }[];
  components: ComponentStatus[];
  supervisor: { pid: number; memory: number };
}

export async function clusterStatus(cluster: RunningCluster): Promise<ClusterStatus> {
  const { config, network, controlPlane } = cluster;
  return {
    name: config.name,
    version: config.version,
    nodeVersion: config.nodeVersion,
    server: controlPlane.server,
    ...(network ? { network: network.plan.network, device: network.device, host: network.plan.host } : {}),
    nodes: cluster.nodes.map(({ name, number, machine }) => ({
      name,
      address: machine.address,
      pods: machine.network.plan.podsOf(number),
      on: machine.system !== undefined,
    })),
    components: await Promise.all(
      cluster.components().map(async ({ name, machine, pid }) => ({
        name,
        ...(machine ? { machine: machine.name } : {}),
        running: pid !== undefined,
        ...(pid === undefined ? {} : { pid, memory: await residentMemory(pid) }),
      })),
    ),
    supervisor: { pid: process.pid, memory: process.memoryUsage.rss() },
  };
}

async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
