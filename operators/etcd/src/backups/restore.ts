/** EtcdRestore: finds the snapshot, has it judged, makes a new cluster of it, and says what became of it. */
import {
  type AuthorContext,
  type AuthorResult,
  type ConditionClaim,
  hasCode,
  type ObjectReference,
  type Operator,
  PersistentVolumeClaim,
  Pod,
  Secret,
} from '@kurator/sdk';
import { EtcdCluster } from '../resources.ts';
import { type ChosenSource, decideRestore, type RestoreSituation, type RestoreStep } from './decide-restore.ts';
import { missingFor } from './missing.ts';
import { outcomeOf } from './outcome.ts';
import { ownImage } from './own-image.ts';
import { checkPod, etcdImageOf, readPod, TASK_LABEL } from './pods.ts';
import { EtcdBackup, EtcdRestore } from './resources.ts';

/** On a cluster: the uid of the restore that made it. */
const RESTORED_BY = 'etcd.kurator.sh/restored-by';
const SOON = '5s';

export function withRestores<Clusters extends string>(operator: Operator<Clusters>): Operator<Clusters> {
  return operator
    .controller(EtcdRestore, { timeout: '1m' })
    .owns(Pod, { labels: TASK_LABEL })
    .watches(EtcdCluster, ({ spec, metadata }, { list }) =>
      spec.bootstrap
        ? list(EtcdRestore, { namespace: metadata.namespace ?? '' }).filter(
            (restore) => restore.spec.cluster.name === metadata.name,
          )
        : undefined,
    )
    .reads(EtcdBackup)
    .uses(EtcdCluster, ['create'])
    .uses(Secret, ['get'])
    .uses(PersistentVolumeClaim, ['get'])
    .uses(Pod, ['get'])
    .reconcile(reconcile);
}

const OVER: readonly (string | undefined)[] = ['Succeeded', 'Refused'];

async function reconcile(restore: EtcdRestore, context: AuthorContext): Promise<AuthorResult<EtcdRestore>> {
  const { owned, client, event, log, requeue, remove } = context;
  const { metadata, spec, status } = restore;
  const now = Date.now();
  const isOver = OVER.includes(status?.phase);
  // Asked of the API server itself: what a cache does not have yet must not be made over.
  const reference = { name: spec.cluster.name, namespace: metadata.namespace ?? '' };
  const cluster = isOver ? undefined : await client.find(EtcdCluster, reference);
  const situation = await situationOf(restore, cluster, now, context);
  const decided = decideRestore(situation);
  const refusal = await carryOut(decided, restore, reference, context);
  const step: RestoreStep = refusal ? { do: 'refuse', why: refusal } : decided;
  // A scratch member runs for as long as its pod.
  if (cluster || isOver || step.do === 'refuse') {
    for (const pod of owned(Pod)) await remove(Pod, pod.metadata.name);
  }
  tell(step, event, log);
  const after = statusAfter(restore, step, now);
  const conditions = conditionsOf(after.phase ?? 'Waiting', step.why);
  return { status: after, conditions, ...(OVER.includes(after.phase) ? {} : requeue(pauseAfter(step, now))) };
}

function pauseAfter(step: RestoreStep, now: number): number | string {
  if (step.do !== 'wait') return '1ms';
  return step.until === undefined ? SOON : Math.max(step.until - now, 1);
}

const podsOf = ({ metadata }: EtcdRestore) => ({ read: `${metadata.name}-read`, check: `${metadata.name}-check` });

async function situationOf(
  restore: EtcdRestore,
  cluster: EtcdCluster | undefined,
  now: number,
  context: AuthorContext,
): Promise<RestoreSituation> {
  const { metadata, spec, status } = restore;
  const names = podsOf(restore);
  const pods = context.owned(Pod);
  const outcome = (name: string) => {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    if (pod?.metadata.deletionTimestamp) return { is: 'pending', why: `the pod ${name} ends` } as const;
    return pod && outcomeOf(pod);
  };
  const source = status?.source ?? sourceOf(restore, context);
  const isOver = OVER.includes(status?.phase);
  const isOpen = !isOver && !cluster && typeof source !== 'string';
  return {
    phase: status?.phase,
    why: status?.why,
    source,
    isChosen: status?.source !== undefined,
    cluster: cluster ? stateOf(cluster, metadata.uid) : 'absent',
    clusterStep: cluster?.status?.step,
    hasTemplate: spec.cluster.spec !== undefined,
    reading: outcome(names.read),
    checking: outcome(names.check),
    failures: status?.failures ?? 0,
    lastFailed: status?.lastFailed ? Date.parse(status.lastFailed) : undefined,
    obstacle: isOpen ? await missingFor(source.storage, metadata.namespace ?? '', context.client) : undefined,
    now,
  };
}

function stateOf({ metadata, status }: EtcdCluster, uid: string | undefined): RestoreSituation['cluster'] {
  if (metadata.annotations?.[RESTORED_BY] !== uid) return 'foreign';
  return status?.phase === 'Running' ? 'running' : 'forming';
}

/** The newest backup that counts, or the one that is meant. */
function sourceOf({ spec: { source } }: EtcdRestore, { get }: AuthorContext): ChosenSource | string {
  const { backup: name, storage, key, revision } = source;
  if (storage && key) return { storage, key };
  if (!name) return 'spec.source: give either backup, or storage and key';
  const backup = get(EtcdBackup, name);
  if (!backup) return `spec.source.backup: there is no EtcdBackup ${name} in this namespace`;
  const all = backup.status?.backups ?? [];
  const found = key
    ? all.find((one) => one.key === key)
    : all.findLast((one) => revision === undefined || one.revision <= revision);
  if (found) return { storage: backup.spec.storage, key: found.key };
  if (key) return `spec.source.key: the EtcdBackup ${name} has none of this key that counts`;
  return revision === undefined
    ? `spec.source.backup: the EtcdBackup ${name} has none yet that counts`
    : `spec.source.revision: the EtcdBackup ${name} has none of revision ${revision} or before that counts`;
}

/** Gives why not, where the API server refuses the cluster. */
async function carryOut(
  step: RestoreStep,
  restore: EtcdRestore,
  { name, namespace = '' }: ObjectReference,
  { apply, remove, client }: AuthorContext,
): Promise<string | undefined> {
  const names = podsOf(restore);
  if (step.do === 'retry') await remove(Pod, names[step.pod]);
  if (step.do !== 'read' && step.do !== 'check' && step.do !== 'create') return undefined;
  const { storage, key } = step.source;
  const agent = await ownImage(client);
  if (step.do === 'read') {
    await apply(Pod, readPod({ name: names.read, storage, key, agent }));
    return undefined;
  }
  const spec = restore.spec.cluster.spec ?? (step.spec as EtcdCluster['spec']);
  if (step.do === 'check') {
    const { version } = spec;
    await apply(
      Pod,
      checkPod({ name: names.check, storage, key, version, images: { agent, etcd: etcdImageOf(spec) } }),
    );
    return undefined;
  }
  const { sha256 } = step.backup;
  const annotations = { [RESTORED_BY]: restore.metadata.uid ?? '' };
  const bootstrap = { restore: { storage, key, sha256 } };
  try {
    // Nobody's child: it stays when the restore is deleted.
    await client.create(EtcdCluster, {
      metadata: { name, namespace, annotations },
      spec: { ...spec, paused: false, bootstrap },
    });
  } catch (error) {
    if (!hasCode(error, 'KUR_CLIENT_INVALID')) throw error;
    return `spec.cluster.spec: ${(error as Error).message}`;
  }
  return undefined;
}

function statusAfter(
  { status }: EtcdRestore,
  step: RestoreStep,
  now: number,
): NonNullable<AuthorResult<EtcdRestore>['status']> {
  const {
    conditions: _conditions,
    observedGeneration: _generation,
    ...before
  } = status ?? ({} as NonNullable<typeof status>);
  const why = step.why.slice(0, 1000);
  const kept = { ...before, phase: before.phase ?? 'Waiting', why };
  switch (step.do) {
    case 'choose':
      return { ...kept, phase: 'Checking', source: step.source };
    case 'read':
    case 'check':
      return { ...kept, phase: 'Checking' };
    case 'create': {
      const { revision, hash, size, sha256, takenAt } = step.backup;
      return { ...kept, phase: 'Restoring', checked: { revision, hash, size, sha256, takenAt } };
    }
    case 'retry':
      return {
        ...kept,
        phase: 'Checking',
        failures: (kept.failures ?? 0) + 1,
        lastFailed: new Date(now).toISOString(),
      };
    case 'refuse':
      return { ...kept, phase: 'Refused' };
    case 'succeed':
      return { ...kept, phase: 'Succeeded' };
    case 'wait':
      return { ...kept, phase: step.phase ?? kept.phase };
    case 'nothing':
      return kept;
  }
}

function tell(step: RestoreStep, event: AuthorContext['event'], log: AuthorContext['log']): void {
  if (step.do === 'wait' || step.do === 'nothing') return;
  log.info(step.why, { step: step.do });
  if (step.do === 'refuse') event('Warning', 'RestoreRefused', step.why);
  if (step.do === 'retry') event('Warning', 'RestoreCheckFailed', `${step.why}; it is tried again`);
  if (step.do === 'create') event('Normal', 'SnapshotChecked', step.why);
  if (step.do === 'succeed') event('Normal', 'Restored', step.why);
}

function conditionsOf(phase: string, why: string): ConditionClaim[] {
  const status = phase === 'Succeeded' ? 'True' : 'False';
  return [{ type: 'Ready', status, reason: phase, message: why }];
}
