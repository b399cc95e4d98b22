/** What happens to clusters of etcd while their operator is killed at each of its writes: on members that are real, or simulated. */
import { PersistentVolumeClaim, Pod, waitFor } from '@kurator/sdk';
import type { CrashScenario, CrashWorld } from '@kurator/testenv';
import { EtcdBackup, EtcdCluster, EtcdRestore } from '../../src/index.ts';
import { isAsWanted } from './as-wanted.ts';

/** Which etcd, and whether it takes long: a life has a cluster or two of pods in it. */
export interface LivesOptions {
  readonly version: string;
  readonly nextVersion: string;
  readonly repository: string;
  readonly patience: number;
}

type Run = (world: CrashWorld) => Promise<unknown>;

/** By what happens in them. */
export function crashLives(options: LivesOptions): Readonly<Record<string, CrashScenario>> {
  const { version, nextVersion, repository, patience } = options;
  const spec = { version, repository, storage: { size: '256Mi' } };

  const create = async ({ client, namespace }: CrashWorld, size: number) => {
    await client.create(EtcdCluster, { metadata: { name: 'etcd', namespace }, spec: { ...spec, size } } as never);
  };
  const until = (
    { client, namespace, signal }: CrashWorld,
    also: (cluster: EtcdCluster) => boolean = () => true,
    name = 'etcd',
  ) =>
    waitFor(client, EtcdCluster, { name, namespace }, (cluster) => isAsWanted(cluster) && also(cluster), {
      description: 'to run',
      timeout: patience,
      signal,
    });

  const runs: Readonly<Record<string, Run>> = {
    'made, grown, upgraded, shrunk': async (world) => {
      const { client, namespace } = world;
      const change = (spec: object) => client.patch(EtcdCluster, { name: 'etcd', namespace }, { spec });
      await create(world, 1);
      await until(world);
      await change({ size: 2 });
      await until(world);
      await change({ version: nextVersion });
      await until(world);
      await change({ size: 1 });
      await until(world);
    },
    'made, and a member replaced': async (world) => {
      const { client, namespace } = world;
      await create(world, 3);
      const { status } = await until(world);
      const lost = (status?.members ?? []).find(({ name }) => name !== status?.leader)?.name ?? '';
      await client.delete(Pod, { name: lost, namespace });
      await until(world, (cluster) => (cluster.status?.members ?? []).every(({ name }) => name !== lost));
    },
    'backed up, and restored': async (world) => {
      const { client, namespace, signal } = world;
      await client.create(PersistentVolumeClaim, {
        metadata: { name: 'backups', namespace },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
      });
      await create(world, 1);
      await until(world);
      const all = { name: 'all', namespace };
      const storage = { volume: { claimName: 'backups' } };
      await client.create(EtcdBackup, { metadata: all, spec: { cluster: 'etcd', storage } } as never);
      const counts = ({ status }: EtcdBackup) => status?.phase === 'Succeeded';
      await waitFor(client, EtcdBackup, all, counts, { description: 'to count', timeout: patience, signal });
      const wanted = { cluster: { name: 'restored' }, source: { backup: 'all' } };
      await client.create(EtcdRestore, { metadata: all, spec: wanted } as never);
      const isDone = ({ status }: EtcdRestore) => status?.phase === 'Succeeded';
      await waitFor(client, EtcdRestore, all, isDone, { description: 'to succeed', timeout: patience, signal });
      await until(world, () => true, 'restored');
    },
  };
  return Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, { run, normalise }]));
}

/** What there is, and what state it is in; not what etcd and Kubernetes say of it beside. */
const normalise: NonNullable<CrashScenario['normalise']> = ({ kind, metadata, spec, status }) => {
  const { labels } = metadata;
  switch (kind) {
    case 'EtcdCluster': {
      const { bootstrap, ...rest } = spec as EtcdCluster['spec'];
      const { phase, size, ready, currentVersion, members } = (status ?? {}) as NonNullable<EtcdCluster['status']>;
      const states = (members ?? []).map(({ state, healthy, version }) => ({ state, healthy, version }));
      // A key has its time in it, and letters by lot.
      const isRestored = bootstrap !== undefined;
      return { kind, spec: rest, isRestored, phase, size, ready, currentVersion, states };
    }
    case 'EtcdBackup': {
      const { phase, backups, failures } = (status ?? {}) as NonNullable<EtcdBackup['status']>;
      return { kind, spec, phase, backups: backups?.length, failures };
    }
    case 'EtcdRestore':
      return { kind, spec, phase: (status as EtcdRestore['status'])?.phase };
    case 'Pod':
      return { kind, labels, images: (spec as Pod['spec'])?.containers.map(({ image }) => image) };
    case 'PersistentVolumeClaim':
    case 'Secret':
    case 'Service':
    case 'PodDisruptionBudget':
      return { kind, labels };
    default:
      return undefined;
  }
};
