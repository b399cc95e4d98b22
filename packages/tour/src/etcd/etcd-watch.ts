/** What the operator says of the tour's clusters, as it changes: each step once, and how every member is. */
import { type Client, Pod } from '@kurator/client';
import { watchAll } from '@kurator/kubectl-kurator';
import { EtcdCluster } from '@kurator/operator-etcd';
import type { Endpoint } from './writer.ts';

export const NAMESPACE = 'default';

export interface EtcdWatch {
  cluster(name: string): EtcdCluster | undefined;
  /** The pods of a cluster's members that clients are led to. */
  endpoints(cluster: string): readonly Endpoint[];
  /** Whether it becomes so in time. */
  until(isSo: () => boolean, milliseconds: number): Promise<boolean>;
}

/** @param onStep Hears what is done next for a cluster, and why. */
export function watchEtcd(
  client: Client,
  onStep: (cluster: string, step: string) => void,
  signal: AbortSignal,
): EtcdWatch {
  const clusters = new Map<string, EtcdCluster>();
  const pods = new Map<string, Pod>();
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  const onCluster = (cluster: EtcdCluster) => {
    const { name } = cluster.metadata;
    const { step } = cluster.status ?? {};
    const before = clusters.get(name)?.status?.step;
    clusters.set(name, cluster);
    if (step && step !== before) onStep(name, step);
    wake();
  };
  const onPod = (pod: Pod) => {
    pods.set(pod.metadata.name, pod);
    wake();
  };
  const where = { client, namespace: NAMESPACE, signal };
  const ended = Promise.race([
    watchAll({ ...where, type: EtcdCluster, onAll: (all) => all.forEach(onCluster), onChange: onCluster }),
    watchAll({ ...where, type: Pod, onAll: (all) => all.forEach(onPod), onChange: onPod }),
  ]);
  ended.catch(() => {});
  return {
    cluster: (name) => clusters.get(name),
    // Of a pod that is gone nobody hears; the members that are there are in the status.
    endpoints: (cluster) =>
      (clusters.get(cluster)?.status?.members ?? []).flatMap(({ name }) => endpointOf(cluster, pods.get(name)) ?? []),
    async until(isSo, milliseconds) {
      const patience = AbortSignal.timeout(milliseconds);
      const over = AbortSignal.any([patience, signal]);
      while (!isSo()) {
        if (patience.aborted) return false;
        signal.throwIfAborted();
        await Promise.race([ended, nextChange(waiting, over)]);
      }
      return true;
    },
  };
}

async function nextChange(waiting: Set<() => void>, over: AbortSignal): Promise<void> {
  if (over.aborted) return;
  await new Promise<void>((resolve) => {
    const look = () => {
      waiting.delete(look);
      over.removeEventListener('abort', look);
      resolve();
    };
    waiting.add(look);
    over.addEventListener('abort', look);
  });
}

function endpointOf(cluster: string, pod: Pod | undefined): Endpoint | undefined {
  if (pod?.metadata.labels?.['etcd.kurator.sh/voter'] !== 'true') return undefined;
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp || !status?.podIP) return undefined;
  return { address: status.podIP, serverName: `${metadata.name}.${cluster}.${NAMESPACE}.svc` };
}
