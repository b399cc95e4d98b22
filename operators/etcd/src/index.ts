/** Clusters of etcd: made, grown, shrunk, upgraded member by member, and repaired, from one declaration. */

import {
  type AuthorContext,
  type AuthorResult,
  type ConditionClaim,
  conditionOf,
  hasCode,
  Node,
  operator,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  quantityToNumber,
  Secret,
  Service,
} from '@kurator/sdk';
import type { RecordedAccess } from './access/decide-access.ts';
import { type Access, seeToAccess, unseen } from './access/see-to-access.ts';
import { adviceOf } from './advice.ts';
import { withBackups } from './backups/backup.ts';
import { withRestores } from './backups/restore.ts';
import { clearSeedPods } from './backups/seed.ts';
import { decide } from './brain/decide.ts';
import type { Step } from './brain/step.ts';
import { carryOut, type Means, someVoter } from './carry-out.ts';
import {
  clientSecret,
  isGiven,
  memberSecret,
  operatorCredentials,
  rootSecret,
  type Trust,
} from './children/certificates.ts';
import { FORCED } from './children/member.ts';
import { clientSecretOf, DEFRAGMENT, isMember, LABEL, memberSecretOf, rootSecretOf, VOTER } from './children/names.ts';
import { budgetOf, clientServiceManifest, memberServiceOf } from './children/services.ts';
import { EtcdClient, EtcdError } from './database/etcd-client.ts';
import { type Look, look } from './look.ts';
import { EtcdMetrics } from './metrics.ts';
import { EtcdCluster } from './resources.ts';
import { authorityOf } from './rotation/authority.ts';
import { Certificate, issuedTrust } from './rotation/cert-manager.ts';
import { GIVEN, givenTrust, isLacking, type Lacking } from './rotation/given.ts';
import { certificatesOf, rotate } from './rotation/rotate.ts';
import { believing, hurry } from './rotation/trust.ts';
import { statusOf } from './status.ts';
import { describe, tell } from './telling.ts';

export { EtcdBackup, EtcdRestore } from './backups/resources.ts';
export { EtcdCluster } from './resources.ts';

/** How long nothing is looked at while all is well: changes of pods come by themselves, what etcd thinks does not. */
const IDLE = '10s';
/** How soon what was waited for is looked at again. */
const SOON = '1s';

/** Of the operator that runs in this process. */
let metrics = new EtcdMetrics();

const clusters = operator({ name: 'etcd-operator' })
  .controller(EtcdCluster, { timeout: '1m' })
  .owns(Pod, { labels: LABEL })
  .owns(PersistentVolumeClaim, { labels: LABEL })
  .owns(Secret, { labels: LABEL })
  .owns(Service, { labels: LABEL })
  .owns(PodDisruptionBudget, { labels: LABEL })
  .uses(Secret, ['get', 'create', 'update'])
  .uses(Pod, ['patch'])
  .uses(PersistentVolumeClaim, ['get', 'patch'])
  .uses(Node, ['get'])
  .uses(EtcdCluster, ['patch'])
  .uses(Certificate, ['get', 'create', 'patch'])
  .cron(({ spec }) => (spec.paused ? undefined : spec.defragmentation?.schedule), askForDefragmentation)
  .beside(({ manager }) => {
    metrics = new EtcdMetrics();
    manager.metrics.add(metrics.families());
    return { name: 'etcd-metrics', run: async () => undefined };
  })
  .reconcile(reconcile);

export const etcd = withRestores(withBackups(clusters));

async function reconcile(cluster: EtcdCluster, context: AuthorContext): Promise<AuthorResult<EtcdCluster>> {
  const now = Date.now();
  metrics.reads(context);
  const trust = await trustOf(cluster, context, now);
  return isLacking(trust) ? lacking(trust, context) : await pass(cluster, trust, context, now);
}

async function pass(
  cluster: EtcdCluster,
  trust: Trust,
  context: AuthorContext,
  now: number,
): Promise<AuthorResult<EtcdCluster>> {
  const { event, requeue } = context;
  const client = new EtcdClient(operatorCredentials(trust, now));
  const seen = believing(await look(cluster, client, context, now), trust, context);
  const { situation } = seen;
  const step = decide(situation);

  const small = situation.paused ? undefined : await growVolumes(cluster, context);
  if (!situation.paused) await keepChildren(cluster, trust, seen, context);

  const trouble = await attempt(step, { cluster: seen.cluster, trust, etcd: client, look: seen, context });
  advise(cluster, event);
  const certificates = await seeToAuthority(cluster, trust, seen, context);
  // What could not be proved is not planned.
  const done: Step = trouble && isRecordedAfter(step) ? { do: 'wait', why: describe(step) } : step;
  const access = await accessOf(cluster, client, seen, context);
  const { status, conditions } = statusOf(cluster, seen, done, trouble);
  const isWaiting =
    trouble !== undefined ||
    step.do === 'wait' ||
    (step.do === 'nothing' && (certificates.isRunning || access.isRunning));
  const soon = isWaiting ? SOON : step.do === 'nothing' ? IDLE : '1ms';
  const claims = [...conditions, ...certificates.claims, ...access.claims, ...volumesOf(small, cluster, event)];
  const auth = access.recorded ? { auth: recordOf(access.recorded) } : {};
  return { status: { ...status, ...auth }, conditions: claims, ...requeue(soon) };
}

/** Does it; or gives why etcd would not. */
async function attempt(step: Step, means: Means): Promise<string | undefined> {
  try {
    await carryOut(step, means);
  } catch (error) {
    // etcd says no for a while after each change, and a learner that has not caught up is not promoted: it is asked again.
    if (!(error instanceof EtcdError)) throw error;
    means.context.log.info(`${describe(step)}: ${error.message}`);
    return error.message;
  }
  tell(step, means.context);
  metrics.done(step.do);
  return undefined;
}

/** Only where quorum answers, and the cluster is sure to stay: users are keys. */
async function accessOf(cluster: EtcdCluster, etcd: EtcdClient, seen: Look, context: AuthorContext): Promise<Access> {
  const { situation } = seen;
  const { recovery, paused, listing } = situation;
  const isBeginning = !cluster.status?.clusterId || (recovery && recovery.stage !== 'Done');
  if (paused || !listing || isBeginning) return unseen(cluster);
  return await seeToAccess(cluster, etcd, someVoter(seen), context);
}

/** As the status has it. */
const recordOf = ({ roles, users }: RecordedAccess) => ({
  roles: [...roles],
  users: users.map(({ name, password }) => ({ name, ...(password === undefined ? {} : { password }) })),
});

/** Whether one authority follows another just now, and what is told of that. */
async function seeToAuthority(cluster: EtcdCluster, trust: Trust, seen: Look, context: AuthorContext) {
  if (isGiven(trust)) return { isRunning: false, claims: [GIVEN] };
  const rotation = seen.situation.paused ? undefined : await rotate(cluster, trust, seen, context);
  return { isRunning: rotation?.isRunning === true, claims: certificatesOf(rotation) };
}

/** By whomever certificates are made; or why there are none. */
async function trustOf(cluster: EtcdCluster, context: AuthorContext, now: number): Promise<Trust | Lacking> {
  const { provider, secret } = cluster.spec.tls;
  if (provider === 'Auto') return await authorityOf(cluster, context, now);
  if (provider === 'CertManager') return await issuedTrust(cluster, context, now);
  return await givenTrust(cluster, secret, context, now);
}

/** Without certificates nothing is touched, and nobody can be asked. */
function lacking({ lacks }: Lacking, { event, requeue }: AuthorContext): AuthorResult<EtcdCluster> {
  const { reason = '', message } = lacks;
  event('Warning', reason, message ?? '');
  return { conditions: [lacks, { ...lacks, type: 'Ready' }], ...requeue(IDLE) };
}

/** By an annotation, as a person may: the reconcile sees to it when nothing else is to be done. */
async function askForDefragmentation({ metadata }: EtcdCluster, { client, signal }: AskContext): Promise<void> {
  const { name, namespace = '' } = metadata;
  const annotations = { [DEFRAGMENT]: new Date().toISOString() };
  await client.patch(EtcdCluster, { name, namespace }, { metadata: { annotations } }, { signal });
}

type AskContext = Pick<AuthorContext, 'client' | 'signal'>;

/** Said where volumes do not grow, and that they have once it was said. */
function volumesOf(
  small: string | undefined,
  { status }: EtcdCluster,
  event: AuthorContext['event'],
): ConditionClaim[] {
  const type = 'VolumesGrown';
  const told = conditionOf(status?.conditions, type);
  if (small === undefined)
    return told ? [{ type, status: 'True', reason: 'AsWanted', message: 'as large as wanted' }] : [];
  if (told?.message !== small) event('Warning', 'VolumeTooSmall', small);
  return [{ type, status: 'False', reason: 'VolumeTooSmall', message: small }];
}

/** What is written down says that it was done. */
const isRecordedAfter = ({ do: what }: Step) => what === 'plan' || what === 'compact' || what === 'defragment';

/** Said once for each thing: whoever looks later reads it in the condition. */
function advise(cluster: EtcdCluster, event: AuthorContext['event']): void {
  for (const { reason, message } of adviceOf(cluster)) {
    if (!cluster.status?.conditions?.some((known) => known.message === message)) event('Warning', reason, message);
  }
}

/** Volumes that are smaller than is wanted; their class says whether they can grow. Gives why they do not. */
async function growVolumes(
  cluster: EtcdCluster,
  { owned, client, signal }: AuthorContext,
): Promise<string | undefined> {
  const wanted = String(cluster.spec.storage.size);
  for (const { metadata, spec } of owned(PersistentVolumeClaim).filter(isMember)) {
    const present = spec?.resources?.requests?.storage ?? wanted;
    if (metadata.deletionTimestamp || quantityToNumber(present) >= quantityToNumber(wanted)) continue;
    const { name, namespace = '' } = metadata;
    const patch = { spec: { resources: { requests: { storage: wanted } } } };
    try {
      await client.patch(PersistentVolumeClaim, { name, namespace }, patch, { signal });
    } catch (error) {
      if (!hasCode(error, 'KUR_CLIENT_FORBIDDEN') && !hasCode(error, 'KUR_CLIENT_INVALID')) throw error;
      return `spec.storage.size: the volume of ${name} stays at ${present}: ${error.message}. Let its StorageClass grow volumes (allowVolumeExpansion), or delete the pods of members one after the other: each new member has a volume of ${wanted}`;
    }
  }
  return undefined;
}

/** What a cluster has beside its members: they are made and ended one step at a time. */
async function keepChildren(cluster: EtcdCluster, trust: Trust, { situation }: Look, context: AuthorContext) {
  const { apply, get } = context;
  const voters = (situation.listing?.members ?? []).filter(({ isLearner }) => !isLearner);
  await apply(Service, memberServiceOf(cluster));
  await apply(Service, clientServiceManifest(cluster));
  await apply(PodDisruptionBudget, budgetOf(cluster, voters.length));
  const clients = clientSecret(cluster, trust, get(Secret, clientSecretOf(cluster)), situation.now);
  if (clients) await apply(Secret, clients);
  const root = cluster.spec.auth && rootSecret(cluster, trust, get(Secret, rootSecretOf(cluster)), situation.now);
  if (root) await apply(Secret, root);
  await renewCertificates(cluster, trust, context, situation.now);
  // Only once it is on record that the cluster has data: until then it may be begun anew.
  if (!cluster.status?.clusterId) return;
  await clearSeedPods(context);
  // Until a survivor is sure to be gone on from, another may have to be: nothing is written to it before.
  const { recovery } = situation;
  if (recovery && recovery.stage !== 'Done') return;
  await leadClientsTo(
    voters.flatMap(({ name }) => name ?? []),
    context,
  );
}

/** etcd reads its certificate anew for each connection: a new one in the Secret is enough. */
async function renewCertificates(cluster: EtcdCluster, trust: Trust, context: AuthorContext, now: number) {
  const { apply, get } = context;
  for (const { name } of cluster.status?.members ?? []) {
    const present = get(Secret, memberSecretOf(name));
    const secret = present && memberSecret(cluster, name, trust, present, now);
    if (!secret) continue;
    await apply(Secret, secret);
    await hurry(context, name, secret);
  }
}

/** Only who votes answers clients. */
async function leadClientsTo(voters: readonly string[], { owned, client, signal }: AuthorContext): Promise<void> {
  for (const { metadata } of owned(Pod)) {
    if (metadata.deletionTimestamp || metadata.labels?.[VOTER] === 'true' || !voters.includes(metadata.name)) continue;
    // What is written to it might be forgotten: it begins anew whenever it starts.
    if (metadata.annotations?.[FORCED]) continue;
    const { name, namespace } = metadata;
    await client.patch(Pod, { name, namespace }, { metadata: { labels: { [VOTER]: 'true' } } }, { signal });
  }
}
