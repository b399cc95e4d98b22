/** EtcdBackup: looks, decides one step, does it, and writes down what became of it. */
import {
  type AuthorContext,
  type AuthorResult,
  type ConditionClaim,
  type Operator,
  PersistentVolumeClaim,
  Pod,
  Secret,
} from '@kurator/sdk';
import { CLIENT_PORT, drawLetters, hostOf } from '../children/names.ts';
import { EtcdCluster } from '../resources.ts';
import {
  type BackupSituation,
  type BackupStatus,
  type BackupStep,
  decideBackup,
  statusAfter,
} from './decide-backup.ts';
import { backupMetrics } from './metrics.ts';
import { missingFor } from './missing.ts';
import { outcomeOf } from './outcome.ts';
import { ownImage } from './own-image.ts';
import { backupPod, etcdImageOf, LONGEST_RUN, TASK_LABEL } from './pods.ts';
import { EtcdBackup } from './resources.ts';
import type { Subject } from './task.ts';

/** How long a run may take in all: as long as its pod may run, and some minutes for it to begin. */
const PATIENCE = LONGEST_RUN + 600_000;
/** How soon what was waited for is looked at again; changes of pods and clusters come by themselves. */
const SOON = '10s';
const LONGEST_SLEEP = 3_600_000;

export function withBackups<Clusters extends string>(operator: Operator<Clusters>): Operator<Clusters> {
  // All of them, as the cache has them: every reconcile sees the same one.
  let all = (): readonly EtcdBackup[] => [];
  return operator
    .controller(EtcdBackup, { timeout: '1m' })
    .owns(Pod, { labels: TASK_LABEL })
    .reads(EtcdCluster)
    .uses(Secret, ['get'])
    .uses(PersistentVolumeClaim, ['get'])
    .uses(Pod, ['get'])
    .beside(({ manager }) => {
      manager.metrics.add(backupMetrics(() => all()));
      return { name: 'etcd-backup-metrics', run: async () => undefined };
    })
    .reconcile(async (backup, context) => {
      all = () => context.list(EtcdBackup, { namespace: '*' });
      return await reconcile(backup, context);
    });
}

async function reconcile(backup: EtcdBackup, context: AuthorContext): Promise<AuthorResult<EtcdBackup>> {
  const { owned, get, apply, remove, client, event, log, requeue } = context;
  const now = Date.now();
  const { spec, metadata, status = {} } = backup;
  const cluster = get(EtcdCluster, spec.cluster);
  const run = 'run' in status ? status.run : undefined;
  const pods = owned(Pod);
  // Those of runs whose result is written down.
  for (const pod of pods) if (pod.metadata.name !== run?.pod) await remove(Pod, pod.metadata.name);
  const pod = pods.find(({ metadata }) => metadata.name === run?.pod);
  const situation: BackupSituation = {
    spec,
    status,
    created: Date.parse(metadata.creationTimestamp ?? new Date(now).toISOString()),
    now,
    pod: pod && outcomeOf(pod),
    obstacle:
      obstacleOf(spec.cluster, cluster) ??
      (run && pod ? undefined : await missingFor(spec.storage, metadata.namespace ?? '', client)),
    fresh: draw(backup, now),
    patience: PATIENCE,
  };
  const step = decideBackup(situation);
  if (step.do === 'start' && cluster) {
    const images = { agent: await ownImage(client), etcd: etcdImageOf(cluster.spec) };
    const { storage, verify } = spec;
    const subject = subjectOf(backup, cluster);
    const { key, pod: name, remove } = step.run;
    await apply(Pod, backupPod({ name, cluster, storage, key, subject, verify, remove, images }));
  }
  tell(step, event, log);
  const after = statusAfter(situation, step);
  return { status: after, conditions: conditionsOf(after, step), ...requeue(sleepOf(step, now)) };
}

function sleepOf(step: BackupStep, now: number): number | string {
  if (step.do !== 'wait') return '1ms';
  if (step.until === undefined) return SOON;
  return Math.min(Math.max(step.until - now, 1), LONGEST_SLEEP);
}

/** Whose data, and beside whom it is compared: a follower has more time than the leader. */
function subjectOf({ metadata, spec }: EtcdBackup, cluster: EtcdCluster): Subject {
  const members = (cluster.status?.members ?? []).filter(({ state, healthy }) => state === 'Member' && healthy);
  const leader = members.find(({ leader }) => leader) ?? members[0];
  const follower = members.find((member) => member !== leader) ?? leader;
  const url = (member: string) => `https://${hostOf(cluster, member)}:${CLIENT_PORT}`;
  return {
    writer: { uid: metadata.uid ?? '', name: metadata.name, namespace: metadata.namespace ?? '' },
    cluster: { name: spec.cluster, spec: cluster.spec },
    source: url(follower?.name ?? ''),
    witness: url(leader?.name ?? ''),
  };
}

function obstacleOf(name: string, cluster: EtcdCluster | undefined): string | undefined {
  if (!cluster) return `spec.cluster: there is no EtcdCluster ${name} in this namespace`;
  const members = cluster.status?.members ?? [];
  const serves = members.some(({ state, healthy }) => state === 'Member' && healthy) && cluster.status?.leader;
  return serves
    ? undefined
    : `the cluster ${name} has no member that serves: ${cluster.status?.step ?? 'it is not there yet'}`;
}

/** Sorted by their names they are sorted by time; and two of the same second don't meet. */
function draw({ metadata, spec }: EtcdBackup, now: number): BackupSituation['fresh'] {
  const letters = drawLetters(5);
  const time = new Date(now).toISOString().replace(/[:.]/g, '-');
  return {
    key: `${metadata.namespace}/${spec.cluster}/${metadata.name}/${time}-${letters}`,
    pod: `${metadata.name}-${letters}`,
  };
}

function tell(step: BackupStep, event: AuthorContext['event'], log: AuthorContext['log']): void {
  if (step.do === 'wait') return;
  log.info(step.why, { step: step.do });
  if (step.do === 'record') event('Normal', 'BackupTaken', step.why);
  if (step.do === 'fail') {
    event('Warning', 'BackupFailed', `${step.why}. It does not count, and is tried again; earlier ones are kept.`);
  }
}

function conditionsOf(
  { failures = 0, lastFailure, lastBackup, backups = [] }: BackupStatus,
  step: BackupStep,
): ConditionClaim[] {
  const claim = ((): Omit<ConditionClaim, 'type'> => {
    if (failures > 0) {
      const message = `the last ${failures} failed: ${lastFailure?.why ?? ''}; ${lastBackup ? `the newest that counts is ${lastBackup}` : 'there is none that counts'}`;
      return { status: 'False', reason: 'BackupFailed', message };
    }
    if (backups.length > 0) return { status: 'True', reason: 'BackupTaken', message: `${lastBackup} counts` };
    return { status: 'Unknown', reason: 'NoBackupYet', message: step.why };
  })();
  return [
    { type: 'BackupReady', ...claim },
    { type: 'Ready', ...claim },
  ];
}
