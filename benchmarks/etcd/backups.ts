/** How long a backup of 100 MB takes until it counts, and how long until a new cluster of three serves it. */
import { EtcdBackup, EtcdCluster, EtcdRestore } from '@kurator/operator-etcd';
import { Namespace, PersistentVolumeClaim, waitFor } from '@kurator/sdk';
import { EtcdAccess } from '../../e2e/support/etcd-access.ts';
import { ETCD_REPOSITORY, ETCD_VERSION } from '../../e2e/support/etcd-image.ts';
import { isAsWanted } from '../../operators/etcd/test/support/as-wanted.ts';
import type { Figure } from '../figures/lines.ts';
import type { Arena } from './arena.ts';
import { RunningOperator } from './operator.ts';

const MEGABYTES = 100;
const PATIENCE = 180_000;

/** With three members on three nodes, onto a claim. */
export async function backupFigures(arena: Arena): Promise<Figure[]> {
  const { cluster, client } = arena;
  const env = { KURATOR_ETCD_IMAGE: await arena.image() };
  const name = 'etcd';
  const namespace = 'etcd-backups';
  await client.create(Namespace, { metadata: { name: namespace } });
  await using _ = new RunningOperator(await arena.workshop.program(), cluster.kubeconfig, namespace, env);
  const spec = { version: ETCD_VERSION, repository: ETCD_REPOSITORY, storage: { size: '2Gi' } };
  await client.create(EtcdCluster, { metadata: { name, namespace }, spec } as never);
  await waitFor(client, EtcdCluster, { name, namespace }, isAsWanted, { description: 'to run', timeout: PATIENCE });
  const access = await EtcdAccess.to(client, name, namespace);
  // What can't be made smaller, as etcd has it.
  for (let i = 0; i < MEGABYTES; i += 1) await access.put(`block/${i}`, randomText(1_000_000));
  await client.create(PersistentVolumeClaim, {
    metadata: { name: 'backups', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const backup = { name: 'all', namespace };
  const backupTook = await seconds(async () => {
    const spec = { cluster: name, storage: { volume: { claimName: 'backups' } } };
    await client.create(EtcdBackup, { metadata: backup, spec } as never);
    const counts = ({ status }: EtcdBackup) => status?.phase === 'Succeeded';
    await waitFor(client, EtcdBackup, backup, counts, { description: 'to count', timeout: PATIENCE });
  });
  const restoreTook = await seconds(async () => {
    const spec = { cluster: { name: 'restored' }, source: { backup: backup.name } };
    await client.create(EtcdRestore, { metadata: { name: 'all', namespace }, spec } as never);
    const isDone = ({ status }: EtcdRestore) => status?.phase === 'Succeeded';
    await waitFor(client, EtcdRestore, { name: 'all', namespace }, isDone, {
      description: 'to succeed',
      timeout: PATIENCE,
    });
  });
  return [
    { subject: 'kurator', metric: 'backup_100mb_s', value: backupTook, unit: 's' },
    { subject: 'kurator', metric: 'restore_s', value: restoreTook, unit: 's' },
  ];
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function randomText(length: number): string {
  return Array.from({ length: length / 10 }, () => Math.random().toString(36).slice(2, 12).padEnd(10, '0')).join('');
}
