/** The data of a backup, put into the volume of a cluster's first member before it is ever started. */
import { type AuthorContext, Pod } from '@kurator/sdk';
import type { SeedData } from '../brain/situation.ts';
import { LABEL, peerUrlOf } from '../children/names.ts';
import type { EtcdCluster } from '../resources.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { ownImage } from './own-image.ts';
import { etcdImageOf, seedPod, TASK_LABEL } from './pods.ts';

const podNameOf = (member: string) => `${member}-restore`;
/** How long a try that failed is left to be looked at before the next. */
const PAUSE = 10_000;

/** Whether a pod is no member, but brings one its data. */
export const isSeedPod = ({ metadata }: Pod): boolean => metadata.labels?.[TASK_LABEL] !== undefined;

/** Undefined for a cluster that begins empty. */
export function seedDataOf({ spec }: EtcdCluster, pods: readonly Pod[], now: number): SeedData | undefined {
  if (!spec.bootstrap) return undefined;
  const pod = pods.find(isSeedPod);
  if (!pod) return { is: 'wanted' };
  if (pod.metadata.deletionTimestamp) return { is: 'coming', why: 'a try that failed is cleared away' };
  return stateOf(outcomeOf(pod), now - endOf(pod));
}

function stateOf(outcome: Outcome, age: number): SeedData {
  if (outcome.is === 'done') return { is: 'there' };
  if (outcome.is === 'pending') return { is: 'coming', why: outcome.why };
  // Somebody was here before, and has seen it through.
  if (outcome.there) return { is: 'there' };
  return { is: 'failed', why: outcome.why, again: !outcome.refused && age >= PAUSE };
}

function endOf({ metadata, status = {} }: Pod): number {
  const ends = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].flatMap(
    ({ state }) => state?.terminated?.finishedAt ?? [],
  );
  return Math.max(...[metadata.creationTimestamp ?? '', ...ends].map((time) => Date.parse(time) || 0));
}

/** Makes the pod; or takes the one away that failed, so that the next pass makes another. */
export async function restoreSeed(
  cluster: EtcdCluster,
  member: string,
  again: boolean,
  { apply, remove, client }: AuthorContext,
): Promise<void> {
  const name = podNameOf(member);
  if (again) return void (await remove(Pod, name));
  const source = cluster.spec.bootstrap?.restore;
  if (!source) return;
  const images = { agent: await ownImage(client), etcd: etcdImageOf(cluster.spec) };
  const peerUrl = peerUrlOf(cluster, member);
  const token = cluster.metadata.uid ?? cluster.metadata.name;
  const manifest = seedPod({ name, member, peerUrl, token, cluster, source, images });
  const labels = { ...manifest.metadata.labels, [LABEL]: cluster.metadata.name };
  await apply(Pod, { ...manifest, metadata: { ...manifest.metadata, labels } });
}

/** Once the cluster has formed it has done its work. */
export async function clearSeedPods({ owned, remove }: Pick<AuthorContext, 'owned' | 'remove'>): Promise<void> {
  for (const pod of owned(Pod).filter(isSeedPod)) {
    if (!pod.metadata.deletionTimestamp) await remove(Pod, pod.metadata.name);
  }
}
