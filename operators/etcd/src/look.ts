/** Gathers what is known of a cluster, from Kubernetes and from etcd itself. Changes nothing. */
import { type AuthorContext, conditionOf, PersistentVolumeClaim, Pod, parseDuration } from '@kurator/sdk';
import { isSeedPod, seedDataOf } from './backups/seed.ts';
import type { Listing, MemberObjects, PlannedMember, Situation } from './brain/situation.ts';
import { TEMPLATE, templateOf } from './children/member.ts';
import { drawMemberName, hostOf, memberOfPeerUrl } from './children/names.ts';
import type { Endpoint, EtcdClient, EtcdStatus } from './database/etcd-client.ts';
import type { EtcdCluster } from './resources.ts';

/** A situation, and what is told of it beside. */
export interface Look {
  readonly situation: Situation;
  /** What members said of themselves, by name. */
  readonly answers: ReadonlyMap<string, EtcdStatus>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clusterId: string | undefined;
}

export async function look(
  cluster: EtcdCluster,
  etcd: EtcdClient | undefined,
  { owned, signal }: AuthorContext,
  now: number,
): Promise<Look> {
  const { spec, status } = cluster;
  const allPods = owned(Pod);
  const pods = new Map(allPods.filter((pod) => !isSeedPod(pod)).map((pod) => [pod.metadata.name, pod]));
  const claims = owned(PersistentVolumeClaim);
  const planned = plannedMembers(cluster, claims);
  const endpoints = new Map(
    [...pods.values()].flatMap(({ metadata: { name }, status }) =>
      status?.podIP ? [[name, { address: status.podIP, serverName: hostOf(cluster, name) }] as const] : [],
    ),
  );
  const answers = etcd ? await ask(etcd, endpoints, status?.clusterId, signal) : new Map<string, EtcdStatus>();
  const healthy = new Set([...answers].filter(([, { leader }]) => leader !== undefined).map(([name]) => name));
  const listing = etcd && (await listingOf(cluster, etcd, endpoints, answers, signal));
  const clusterId = status?.clusterId ?? answers.get(planned[0]?.name ?? '')?.clusterId;
  const members = planned.map((member): PlannedMember => {
    const { unhealthySince, ...rest } = member;
    return healthy.has(member.name) ? rest : { ...rest, unhealthySince: unhealthySince ?? now };
  });
  const template = templateOf(cluster);
  const hasClaim = new Set(
    claims.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
  );
  const objects = new Map(
    members.map(({ name }): [string, MemberObjects] => {
      const pod = pods.get(name);
      const upToDate = pod === undefined || pod.metadata.annotations?.[TEMPLATE] === template;
      return [name, { pod: podStateOf(pod), upToDate, claim: hasClaim.has(name) }];
    }),
  );
  const situation: Situation = {
    size: spec.size,
    paused: spec.paused,
    replaceAfter: parseDuration(spec.replaceAfter),
    formed: clusterId !== undefined || isRecovered(cluster, planned),
    seedData: seedDataOf(cluster, allPods, now),
    members,
    objects,
    healthy,
    listing,
    freshName: drawMemberName(cluster),
    now,
  };
  return { situation, answers, endpoints, clusterId };
}

/** As it is written down. Where the status was lost, the claims say who there was: a cluster that has data is never begun anew. */
function plannedMembers({ status }: EtcdCluster, claims: readonly PersistentVolumeClaim[]): PlannedMember[] {
  const written = status?.members ?? [];
  if (written.length === 0) return claims.map(({ metadata }) => ({ name: metadata.name, state: 'Member' }));
  return written.map(({ name, state, reason, unhealthySince }) => ({
    name,
    state,
    ...(reason ? { reason } : {}),
    ...(unhealthySince ? { unhealthySince: Date.parse(unhealthySince) } : {}),
  }));
}

const isRecovered = ({ status }: EtcdCluster, planned: readonly PlannedMember[]): boolean =>
  (status?.members ?? []).length === 0 && planned.length > 0;

function podStateOf(pod: Pod | undefined): MemberObjects['pod'] {
  if (!pod) return 'absent';
  if (pod.metadata.deletionTimestamp) return 'ending';
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return 'failed';
  return conditionOf(pod.status?.conditions, 'Ready')?.status === 'True' ? 'running' : 'starting';
}

/** Asks every member at once. One of another cluster counts as one that gave no answer. */
async function ask(
  etcd: EtcdClient,
  endpoints: ReadonlyMap<string, Endpoint>,
  clusterId: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, EtcdStatus>> {
  const asked = [...endpoints].map(async ([name, endpoint]) => {
    const answer = await etcd.status(endpoint, signal).catch(() => undefined);
    return [name, answer] as const;
  });
  const answers = new Map<string, EtcdStatus>();
  for (const [name, answer] of await Promise.all(asked)) {
    if (answer && (clusterId === undefined || answer.clusterId === clusterId)) answers.set(name, answer);
  }
  return answers;
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
