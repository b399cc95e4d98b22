/** Gathers what is known of a cluster, from Kubernetes and from etcd itself. Changes nothing. */
import { type AuthorContext, conditionOf, PersistentVolumeClaim, Pod, parseDuration } from '@kurator/sdk';
import { isSeedPod, seedDataOf } from './backups/seed.ts';
import {
  type Listing,
  type Maintenance,
  type MemberObjects,
  overdue,
  type PlannedMember,
  type Position,
  type Recovery,
  type Situation,
} from './brain/situation.ts';
import { upgradePath } from './brain/upgrade-path.ts';
import { FORCED, TEMPLATE, templateOf } from './children/member.ts';
import { DEFRAGMENT, drawMemberName, hostOf, isMember, LABEL, memberOfPeerUrl } from './children/names.ts';
import type { Endpoint, EtcdClient, EtcdStatus, RaisedAlarm } from './database/etcd-client.ts';
import { positionOf } from './database/position.ts';
import { goneMembers } from './gone-members.ts';
import type { EtcdCluster } from './resources.ts';

/** A situation, and what is told of it beside. */
export interface Look {
  /** The cluster in the version that its members are to run now. */
  readonly cluster: EtcdCluster;
  readonly situation: Situation;
  /** What members said of themselves, by name. */
  readonly answers: ReadonlyMap<string, EtcdStatus>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clusterId: string | undefined;
}

export async function look(
  declared: EtcdCluster,
  etcd: EtcdClient | undefined,
  context: AuthorContext,
  now: number,
): Promise<Look> {
  const { owned, signal } = context;
  const allPods = owned(Pod);
  const memberPods = allPods.filter((pod) => isMember(pod) && !isSeedPod(pod));
  const pods = new Map(memberPods.map((pod) => [pod.metadata.name, pod]));
  const path = upgradePath(runningVersions(declared, pods), declared.spec.version);
  const cluster: EtcdCluster = { ...declared, spec: { ...declared.spec, version: path.version } };
  const { spec, status } = cluster;
  const claims = owned(PersistentVolumeClaim).filter(isMember);
  const planned = plannedMembers(cluster, claims);
  const endpoints = new Map(
    [...pods.values()].flatMap(({ metadata: { name }, status }) =>
      status?.podIP ? [[name, { address: status.podIP, serverName: hostOf(cluster, name) }] as const] : [],
    ),
  );
  const everybody = etcd ? await ask(etcd, endpoints, signal) : new Map<string, EtcdStatus>();
  const isOurs = ({ clusterId }: EtcdStatus) => !status?.clusterId || clusterId === status.clusterId;
  const answers = new Map([...everybody].filter(([, answer]) => isOurs(answer)));
  const foreign = new Set([...everybody.keys()].filter((name) => !answers.has(name)));
  const healthy = new Set([...answers].filter(([, { leader }]) => leader !== undefined).map(([name]) => name));
  const listing = etcd && (await listingOf(cluster, etcd, endpoints, answers, signal));
  const clusterId = status?.clusterId ?? answers.get(planned[0]?.name ?? '')?.clusterId;
  const votes = new Set((listing?.members ?? []).filter(({ isLearner }) => !isLearner).map(({ name }) => name));
  const members = planned.map(
    ({ unhealthySince, unconfirmed, ...rest }): PlannedMember => ({
      ...rest,
      ...(unconfirmed && !votes.has(rest.name) ? { unconfirmed } : {}),
      ...(healthy.has(rest.name) ? {} : { unhealthySince: unhealthySince ?? now }),
    }),
  );
  const isFormed = clusterId !== undefined || isRecovered(cluster, planned);
  const isLost = isFormed && !listing;
  const replaceAfter = parseDuration(spec.replaceAfter);
  // With quorum only of one that should have come back: what is to become of the others does not hang on it.
  const doubted = members.filter(
    (one) => isLost || (one.state === 'Restarting' && overdue({ now, replaceAfter }, one)),
  );
  const gone = await goneMembers(cluster.metadata.namespace ?? '', doubted, pods, context);
  const positions = isLost && healthy.size === 0 ? await positionsOf(endpoints, signal) : new Map<string, Position>();
  const template = templateOf(cluster);
  const hasClaim = new Set(
    claims.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
  );
  const objects = new Map(
    members.map(({ name }): [string, MemberObjects] => {
      const pod = pods.get(name);
      const { [TEMPLATE]: made, [FORCED]: forcedBy } = pod?.metadata.annotations ?? {};
      const forced = forcedBy !== undefined;
      const upToDate = pod === undefined || (made === template && !forced);
      return [name, { pod: podStateOf(pod), upToDate, claim: hasClaim.has(name), gone: gone.has(name), forced }];
    }),
  );
  const alarms = alarmsSaid(listing, answers);
  const situation: Situation = {
    size: spec.size,
    paused: spec.paused,
    recovers: spec.quorumLoss === 'Recover',
    recovery: recoveryOf(cluster),
    positions,
    replaceAfter,
    formed: isFormed,
    seedData: seedDataOf(cluster, allPods, now),
    leftovers: planned.length === 0 ? await leftoversOf(cluster, context) : [],
    members,
    objects,
    healthy,
    listing,
    freshName: drawMemberName(cluster),
    held: path.held,
    noSpace: alarms.some(({ alarm }) => alarm === 'NOSPACE'),
    corrupt: new Set(alarms.flatMap(({ alarm, memberId }) => (alarm === 'CORRUPT' ? [memberId] : []))),
    foreign,
    full: new Set([...answers].filter(([, { dbSize }]) => dbSize >= spec.quotaBackendBytes).map(([name]) => name)),
    request: declared.metadata.annotations?.[DEFRAGMENT],
    maintenance: maintenanceOf(cluster),
    now,
  };
  return { cluster, situation, answers, endpoints, clusterId };
}

/** Asked of the API server itself: the cache has only what is owned. */
async function leftoversOf({ metadata }: EtcdCluster, { client, signal }: AuthorContext): Promise<string[]> {
  const { namespace = '', name, uid } = metadata;
  const { items } = await client.list(Pod, { namespace, labelSelector: `${LABEL}=${name}`, signal });
  const others = items.filter(
    (pod) => isMember(pod) && !pod.metadata.ownerReferences?.some((owner) => owner.uid === uid),
  );
  return others.map((pod) => pod.metadata.name);
}

/** By the images of pods: whoever starts may not answer yet. */
function runningVersions({ status }: EtcdCluster, pods: ReadonlyMap<string, Pod>): string[] {
  const versions = [...pods.values()].flatMap(({ spec }) => versionOf(spec?.containers[0]?.image ?? '') ?? []);
  return versions.length > 0 ? versions : status?.currentVersion ? [status.currentVersion] : [];
}

const versionOf = (image: string): string | undefined => /:v(3\.\d+\.\d+)$/.exec(image)?.[1];

/** As it is written down. Where the status was lost, the claims say who there was: a cluster that has data is never begun anew. */
function plannedMembers({ status }: EtcdCluster, claims: readonly PersistentVolumeClaim[]): PlannedMember[] {
  const written = status?.members ?? [];
  if (written.length === 0)
    return claims.map(({ metadata }) => ({ name: metadata.name, state: 'Member', unconfirmed: true }));
  return written.map(({ name, state, reason, unhealthySince, unconfirmed, keepVolume }) => ({
    name,
    state,
    ...(reason ? { reason } : {}),
    ...(unhealthySince ? { unhealthySince: Date.parse(unhealthySince) } : {}),
    ...(unconfirmed ? { unconfirmed } : {}),
    ...(keepVolume ? { keepVolume } : {}),
  }));
}

const isRecovered = ({ status }: EtcdCluster, planned: readonly PlannedMember[]): boolean =>
  (status?.members ?? []).length === 0 && planned.length > 0;

/** By who leads, if that is known: others may not have heard yet that an alarm is out. */
function alarmsSaid(listing: Listing | undefined, answers: ReadonlyMap<string, EtcdStatus>): readonly RaisedAlarm[] {
  const voters = (listing?.members ?? []).filter(({ isLearner }) => !isLearner);
  const byLeader = voters.toSorted((a, b) => Number(b.id === listing?.leader) - Number(a.id === listing?.leader));
  const told = byLeader.flatMap(({ name = '' }) => answers.get(name) ?? []).find(({ leader }) => leader !== undefined);
  return told?.alarms ?? [];
}

function maintenanceOf({ status }: EtcdCluster): Maintenance | undefined {
  if (!status?.maintenance) return undefined;
  const { startedAt, finishedAt, ...rest } = status.maintenance;
  return { ...rest, since: Date.parse(startedAt), ...(finishedAt ? { finished: Date.parse(finishedAt) } : {}) };
}

function recoveryOf({ status }: EtcdCluster): Recovery | undefined {
  if (!status?.recovery) return undefined;
  const { revision, index, startedAt, mayBeLost: _, ...rest } = status.recovery;
  return { ...rest, position: { revision, index }, since: Date.parse(startedAt) };
}

async function positionsOf(endpoints: ReadonlyMap<string, Endpoint>, signal: AbortSignal) {
  const asked = [...endpoints].map(async ([name, endpoint]) => [name, await positionOf(endpoint, signal)] as const);
  return new Map((await Promise.all(asked)).flatMap(([name, position]) => (position ? [[name, position]] : [])));
}

function podStateOf(pod: Pod | undefined): MemberObjects['pod'] {
  if (!pod) return 'absent';
  if (pod.metadata.deletionTimestamp) return 'ending';
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return 'failed';
  return conditionOf(pod.status?.conditions, 'Ready')?.status === 'True' ? 'running' : 'starting';
}

/** Asks every member at once. */
async function ask(
  etcd: EtcdClient,
  endpoints: ReadonlyMap<string, Endpoint>,
  signal: AbortSignal,
): Promise<Map<string, EtcdStatus>> {
  const asked = [...endpoints].map(async ([name, endpoint]) => {
    const answer = await etcd.status(endpoint, signal).catch(() => undefined);
    return [name, answer] as const;
  });
  return new Map((await Promise.all(asked)).flatMap(([name, answer]) => (answer ? [[name, answer] as const] : [])));
}

/** The list as quorum has it: the first that can say it is believed, for whoever has no quorum can't. */
async function listingOf(
  cluster: EtcdCluster,
  etcd: EtcdClient,
  endpoints: ReadonlyMap<string, Endpoint>,
  answers: ReadonlyMap<string, EtcdStatus>,
  signal: AbortSignal,
): Promise<Listing | undefined> {
  for (const [name, { leader, isLearner }] of answers) {
    const endpoint = endpoints.get(name);
    if (!endpoint || isLearner || leader === undefined) continue;
    const members = await etcd.members(endpoint, signal).catch(() => undefined);
    if (!members) continue;
    return {
      members: members.map(({ id, peerUrls, isLearner }) => ({
        id,
        isLearner,
        name: peerUrls.map((url) => memberOfPeerUrl(cluster, url)).find((name) => name !== undefined),
      })),
      leader,
    };
  }
  return undefined;
}
