/** The healer in a cluster, as its users run it, and the image that the services of stories are made of. */
import { AlertChannel, healer, Incident, Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { type Client, installCrds, type PolicyRule } from '@kurator/sdk';
import { busyboxImage, type Cluster } from '@kurator/testenv';
import { type OperatorInCluster, runInCluster } from '../operator-in-cluster.ts';

/** What may differ from one story to the next. */
export interface HealerOptions extends Pick<OperatorInCluster, 'replicas'> {
  /** Rights of optional roles. */
  readonly rules?: readonly PolicyRule[];
  /** Another program than the one that users run, from the repository's root: one that differs in nothing but its options. */
  readonly entry?: string;
}

/** Resolves when all replicas are ready. */
export async function runHealer(cluster: Cluster, client: Client, options: HealerOptions = {}): Promise<void> {
  const { rules = [], entry = 'operators/kurator/src/main.ts', ...rest } = options;
  await cluster.load((await busyboxImage()).path);
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
  const operator = healer();
  const permissions = await operator.permissions();
  await runInCluster(cluster, client, {
    name: operator.name,
    entry,
    threads: { 'shard-worker': 'operators/kurator/src/senses/checks/pool/shard-worker.ts' },
    permissions: { ...permissions, namespaced: [...permissions.namespaced, ...rules] },
    ...rest,
  });
}
