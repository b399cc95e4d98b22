/** What is done to etcd on the tour, and what must come of it. */
import { type Client, type KubernetesObject, PersistentVolumeClaim, Pod } from '@kurator/client';
import type { EtcdCluster } from '@kurator/operator-etcd';
import { applyAll, PATIENCE } from '../operator-parts.ts';
import type { Claim } from '../summary.ts';
import { NEXT_VERSION, REPOSITORY, VERSION } from './etcd-parts.ts';
import { type EtcdWatch, NAMESPACE } from './etcd-watch.ts';
import type { Writer } from './writer.ts';

export const NAME = 'example-etcd-cluster';
/** What is made of its backup. */
export const RESTORED = 'restored';
export const SIZE = 3;
const BACKUP = 'before-the-worst';
const CLAIM = 'backups';

/** What a chapter has to do with. */
export interface Stage {
  readonly client: Client;
  readonly watch: EtcdWatch;
  readonly writer: Writer;
  /** The keys that were acknowledged when the backup was begun. */
  readonly backedUp: string[];
  readonly signal: AbortSignal;
}

export interface Chapter {
  readonly title: string;
  /** What is done, and what must come of it; a sentence or two. */
  readonly explanation: string;
  /** Whether the cluster has quorum at the end. */
  readonly endsWritable: boolean;
  act(stage: Stage): Promise<Claim[]>;
}

export const chapters: readonly Chapter[] = [
  {
    title: 'a member is lost, with its volume',
    explanation:
      'The pod of the leader is deleted, and so is its data. Another must lead at once, and a new member, with a new name, take its place.',
    endsWritable: true,
    async act(stage) {
      const { watch } = stage;
      const before = names(watch.cluster(NAME));
      const victim = watch.cluster(NAME)?.status?.leader ?? '';
      await lose(stage, [victim]);
      const isReplaced = (cluster: EtcdCluster | undefined) =>
        isRunning(cluster, VERSION) && !names(cluster).includes(victim);
      const isWell = await watch.until(() => isReplaced(watch.cluster(NAME)), PATIENCE);
      const stayed = names(watch.cluster(NAME)).filter((name) => before.includes(name));
      return [
        { text: `${victim} is replaced`, holds: isWell },
        { text: 'the other members were left alone', holds: stayed.length === SIZE - 1 },
      ];
    },
  },
  {
    title: `an upgrade, from ${VERSION} to ${NEXT_VERSION}`,
    explanation:
      'Only the version is changed. Members are restarted one after the other on their own volumes, and the leader last.',
    endsWritable: true,
    async act({ client, watch, signal }) {
      const before = names(watch.cluster(NAME));
      await applyAll(client, [etcdManifest(NEXT_VERSION)], signal);
      const isWell = await watch.until(() => isRunning(watch.cluster(NAME), NEXT_VERSION), PATIENCE);
      const after = names(watch.cluster(NAME));
      return [
        { text: `all members run ${NEXT_VERSION}`, holds: isWell },
        { text: 'they are the same members, on the same volumes', holds: before.join() === after.join() },
      ];
    },
  },
  {
    title: 'a backup',
    explanation:
      'Onto a volume. It counts once it was restored into a scratch member whose hash is that of the cluster.',
    endsWritable: true,
    async act({ client, watch, writer, backedUp, signal }) {
      backedUp.push(...writer.acknowledged());
      await applyAll(client, [backupClaim(), backupManifest()], signal);
      const isWell = await watch.until(() => watch.backup(BACKUP)?.status?.phase === 'Succeeded', PATIENCE);
      const [taken] = watch.backup(BACKUP)?.status?.backups ?? [];
      return [
        { text: `it was taken, at revision ${taken?.revision}`, holds: isWell },
        { text: 'it was restored, and has the hash of the cluster', holds: taken?.verifiedAt !== undefined },
      ];
    },
  },
  {
    title: 'the worst: two of three members are lost, with their volumes',
    explanation:
      'Nobody can know now what the two had promised. The operator must not guess: it says so, and leaves the last one as it is.',
    endsWritable: false,
    async act(stage) {
      const { client, watch, signal } = stage;
      const { leader = '' } = watch.cluster(NAME)?.status ?? {};
      const others = names(watch.cluster(NAME)).filter((name) => name !== leader);
      const last = { name: leader, namespace: NAMESPACE };
      const before = await client.get(Pod, last, { signal });
      await lose(stage, others);
      const isSaid = await watch.until(() => watch.cluster(NAME)?.status?.phase === 'QuorumLost', PATIENCE);
      const after = await client.find(Pod, last, { signal });
      const claim = await client.find(PersistentVolumeClaim, last, { signal });
      return [
        { text: 'its phase is QuorumLost', holds: isSaid },
        {
          text: `${leader} and its volume were left alone`,
          holds: after?.metadata.uid === before.metadata.uid && claim !== undefined,
        },
      ];
    },
  },
  {
    title: 'a restore, into a new cluster',
    explanation: 'Of the backup: its data, and the version and size that the cluster had.',
    endsWritable: false,
    async act({ client, watch, writer, backedUp, signal }) {
      await applyAll(client, [restoreManifest()], signal);
      const isWell = await watch.until(() => isRunning(watch.cluster(RESTORED), NEXT_VERSION), PATIENCE);
      const missing = isWell ? await writer.missing(backedUp, RESTORED, signal) : backedUp;
      return [
        { text: `${RESTORED} runs with ${SIZE} members, etcd ${NEXT_VERSION}`, holds: isWell },
        {
          text: `all of the ${backedUp.length} writes that were acknowledged before the backup are there`,
          holds: missing.length === 0,
        },
      ];
    },
  },
];

/** Their pods and their volumes, as if the machines had burnt down. */
async function lose({ client, signal }: Stage, members: readonly string[]): Promise<void> {
  const places = members.map((name) => ({ name, namespace: NAMESPACE }));
  for (const place of places) await client.delete(PersistentVolumeClaim, place, { signal });
  await Promise.all(places.map((place) => client.delete(Pod, place, { gracePeriodSeconds: 0, signal })));
}

const names = (cluster: EtcdCluster | undefined) => (cluster?.status?.members ?? []).map(({ name }) => name).toSorted();

export function isRunning(cluster: EtcdCluster | undefined, version: string): boolean {
  const { spec, status, metadata } = cluster ?? {};
  const isOfNow = spec?.version === version && status?.observedGeneration === metadata?.generation;
  return isOfNow && status?.phase === 'Running' && status.size === SIZE && status.currentVersion === version;
}

interface Declared extends KubernetesObject {
  readonly spec: object;
}

const ofEtcd = (kind: string, name: string, spec: object): Declared => ({
  apiVersion: 'etcd.kurator.sh/v1alpha1',
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec,
});

export const etcdManifest = (version = VERSION) =>
  ofEtcd('EtcdCluster', NAME, { size: SIZE, version, repository: REPOSITORY, storage: { size: '256Mi' } });

const backupManifest = () =>
  ofEtcd('EtcdBackup', BACKUP, { cluster: NAME, storage: { volume: { claimName: CLAIM, path: 'etcd' } } });

const restoreManifest = () =>
  ofEtcd('EtcdRestore', RESTORED, { cluster: { name: RESTORED }, source: { backup: BACKUP } });

const backupClaim = (): Declared => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: CLAIM, namespace: NAMESPACE },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '256Mi' } } },
});
