/** What the operator says of the tour's clusters, as it changes: each step once, and how every member is. */
import { type Client, type KubernetesObject, Pod, type ResourceType } from '@kurator/client';
import { watchAll } from '@kurator/kubectl-kurator';
import { EtcdBackup, EtcdCluster, EtcdRestore } from '@kurator/operator-etcd';
import type { Endpoint } from './writer.ts';

export const NAMESPACE = 'default';

export interface EtcdWatch {
  cluster(name: string): EtcdCluster | undefined;
  backup(name: string): EtcdBackup | undefined;
  /** The pods of a cluster's members that clients are led to. */
  endpoints(cluster: string): readonly Endpoint[];
  /** Whether it becomes so in time. */
  until(isSo: () => boolean, milliseconds: number): Promise<boolean>;
}

/** @param onStep Hears what is done next for one of them, and why. */
export function watchEtcd(client: Client, onStep: (step: string) => void, signal: AbortSignal): EtcdWatch {
  const waiting = new Set<() => void>();
  const where = { client, namespace: NAMESPACE, signal };
  const follow = <T extends KubernetesObject>(type: ResourceType<T>, stepOf: (object: T) => string | undefined) => {
    const known = new Map<string, T>();
    const onChange = (object: T) => {
      const { name } = object.metadata;
      const before = known.get(name);
      known.set(name, object);
      const step = stepOf(object);
      if (step && step !== (before && stepOf(before))) onStep(step);
      for (const look of waiting) look();
    };
    const ended = watchAll({ ...where, type, onAll: (all) => all.forEach(onChange), onChange });
    ended.catch(() => {});
    return { known, ended };
  };
  const pods = follow(Pod, () => undefined);
  const clusters = follow(EtcdCluster, ({ status }) => status?.step);
  const backups = follow(EtcdBackup, ({ status }) => status?.step);
  // From then on it says what the cluster says.
  const restores = follow(EtcdRestore, ({ status }) => (status?.phase === 'Restoring' ? undefined : status?.why));
  const ended = Promise.race([pods.ended, clusters.ended, backups.ended, restores.ended]);
  ended.catch(() => {});
  return {
    cluster: (name) => clusters.known.get(name),
    backup: (name) => backups.known.get(name),
    // Of a pod that is gone nobody hears; the members that are there are in the status.
    endpoints: (cluster) =>
      (clusters.known.get(cluster)?.status?.members ?? []).flatMap(
        ({ name }) => endpointOf(cluster, pods.known.get(name)) ?? [],
      ),
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
