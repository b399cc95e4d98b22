/** How long a cluster refuses writes whose database is full of what keys were before. */
import { EtcdCluster } from '@kurator/operator-etcd';
import { Namespace, waitFor } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { EtcdAccess } from '../../e2e/support/etcd-access.ts';
import { ETCD_REPOSITORY, ETCD_VERSION } from '../../e2e/support/etcd-image.ts';
import { isAsWanted } from '../../operators/etcd/test/support/as-wanted.ts';
import type { Figure } from '../figures/lines.ts';
import type { Arena } from './arena.ts';
import { RunningOperator } from './operator.ts';

const PATIENCE = 180_000;
const QUOTA = 16_777_216;
const REFUSED = 'database space exceeded';

/** From the first write that is refused until one is taken again. */
export async function noSpaceFigures({ client, cluster, workshop }: Arena): Promise<Figure[]> {
  const place = { name: 'etcd', namespace: 'etcd-nospace' };
  await client.create(Namespace, { metadata: { name: place.namespace } });
  await using _ = new RunningOperator(await workshop.program(), cluster.kubeconfig, place.namespace);
  const spec = { version: ETCD_VERSION, repository: ETCD_REPOSITORY, quotaBackendBytes: QUOTA };
  await client.create(EtcdCluster, { metadata: place, spec: { ...spec, storage: { size: '256Mi' } } } as never);
  await waitFor(client, EtcdCluster, place, isAsWanted, { description: 'to run', timeout: PATIENCE });
  const access = await EtcdAccess.to(client, place.name, place.namespace);
  await fill(access);
  const start = performance.now();
  await eventually(async () => await access.put('small', 'x'), { timeout: PATIENCE, interval: 100 });
  return [{ subject: 'kurator', metric: 'nospace_s', value: (performance.now() - start) / 1000, unit: 's' }];
}

/** One key, again and again. */
async function fill(access: EtcdAccess): Promise<void> {
  const value = 'x'.repeat(500_000);
  for (let size = 0; size < 4 * QUOTA; size += value.length) {
    try {
      await access.put('large', value);
    } catch (error) {
      if ((error as Error).message.includes(REFUSED)) return;
      throw error;
    }
  }
  throw new Error(`four times its quota was written, and never refused with "${REFUSED}"`);
}
