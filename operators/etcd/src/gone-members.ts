/** Who is gone for good. Asked of the API server itself, and only while it matters: a cache that lags would tell of people who are there. */
import { type AuthorContext, conditionOf, Node, PersistentVolumeClaim, type Pod } from '@kurator/sdk';
import type { PlannedMember } from './brain/situation.ts';

/** Where a volume was made for, if it was made for one node. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** By which a person, or the cloud, says that a node is switched off. */
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/**
 * Those without a claim, those whose volume is lost, and those whose node is gone. One that only gives no answer may still run there,
 * and its neighbours with it: a node counts as gone if it was deleted, or if it was said to be out of service.
 */
export async function goneMembers(
  namespace: string,
  members: readonly PlannedMember[],
  pods: ReadonlyMap<string, Pod>,
  context: AuthorContext,
): Promise<Set<string>> {
  const asked = members.map(async ({ name }) =>
    (await isGone({ name, namespace }, pods.get(name), context)) ? [name] : [],
  );
  return new Set((await Promise.all(asked)).flat());
}

async function isGone(
  member: { name: string; namespace: string },
  pod: Pod | undefined,
  { client, signal }: AuthorContext,
): Promise<boolean> {
  const claim = await client.find(PersistentVolumeClaim, member, { signal });
  if (!claim || claim.status?.phase === 'Lost') return true;
  const node = pod?.spec?.nodeName ?? (isUnplaced(pod) ? claim.metadata.annotations?.[SELECTED_NODE] : undefined);
  if (!node) return false;
  const found = await client.find(Node, { name: node }, { signal });
  return !found || found.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
}

/** No node was found for it, which is as it is where its volume is on a node that is gone. */
const isUnplaced = (pod: Pod | undefined): boolean =>
  conditionOf(pod?.status?.conditions, 'PodScheduled')?.status === 'False';
