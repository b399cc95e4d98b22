/** Level 3, Full Lifecycle: it comes through failures, what it made is remade, what was saved can be brought back. */
import { type KubernetesObject, Lease, Node, Pod, PodDisruptionBudget, waitFor, waitUntilGone } from '@kurator/client';
import { untilRolledOut } from '../../kube/rollout.ts';
import type { Check, LevelChecks } from '../check.ts';
import type { Live } from '../live.ts';
import { met, notApplicable, type Outcome, unmet, untested } from '../outcome.ts';
import { type Child, childrenOf, childrenOfAll, type Specimen, untilReconciled } from '../specimens.ts';

const backupKind = /backup|restore|snapshot/i;

const placed: Check = {
  id: 'lifecycle-spread',
  title: 'the loss of a node does not take all replicas',
  async run({ client, pods, ref, signal }) {
    const nodes = new Set((await pods()).map(({ spec }) => spec?.nodeName)).size;
    const { items: all } = await client.list(Node, { metadataOnly: true, signal });
    if (all.length < 2) return untested('this cluster has one node');
    if (nodes < 2) return unmet('all its replicas are on one node', 'have two replicas that prefer to be apart');
    const budgets = await client.list(PodDisruptionBudget, { namespace: ref.namespace, signal });
    const isGuarded = budgets.items.some(({ metadata }) => metadata.name === ref.name);
    const told = `its replicas are on ${nodes} nodes`;
    return isGuarded
      ? met(`${told}, and a drain takes one at a time`)
      : unmet(`${told}; it has no PodDisruptionBudget`);
  },
};

const takenOver: Check = {
  id: 'lifecycle-takeover',
  title: 'another replica takes over when the leader’s pod is deleted',
  disruptive: true,
  async run(live) {
    const { client, ref, timeoutMs, signal, reporter } = live;
    const pods = await live.pods();
    if (pods.length < 2) return unmet('there is one replica, and nobody to take over', 'have two: --replicas 2');
    const leader = await leaderOf(live, pods);
    if (!leader)
      return untested(`its leader is not known: no Lease ${ref.namespace}/${ref.name} names one of its pods`);
    const began = Date.now();
    await client.delete(Pod, { name: leader, namespace: ref.namespace }, { signal });
    const isOthers = ({ spec }: Lease) => Boolean(spec?.holderIdentity && !spec.holderIdentity.startsWith(leader));
    const options = { description: 'to be held by another', timeout: timeoutMs, signal };
    const { spec } = await waitFor(client, Lease, ref, isOthers, options);
    const took = ((Date.now() - began) / 1000).toFixed(1);
    await untilRolledOut(client, ref, { timeoutMs, reporter, signal });
    return met(`${spec?.holderIdentity?.split('_')[0]} leads, ${took} s after ${leader} was deleted`);
  },
};

/**
 * Which of the pods leads. After a rollout nobody may, until the Lease of the pod that went has been given up or has run
 * out: that is waited for.
 */
async function leaderOf({ client, ref, timeoutMs, signal }: Live, pods: readonly Pod[]): Promise<string | undefined> {
  if (!(await client.find(Lease, ref, { signal }))) return undefined;
  const holder = ({ spec }: Lease) =>
    pods.find(({ metadata }) => spec?.holderIdentity?.startsWith(metadata.name))?.metadata.name;
  const options = { description: 'to be held by one of its pods', timeout: timeoutMs, signal };
  return holder(await waitFor(client, Lease, ref, (lease) => holder(lease) !== undefined, options));
}

const remade: Check = {
  id: 'lifecycle-remade',
  title: 'what it made for an object is made again when it is deleted',
  disruptive: true,
  async run(live) {
    return await ofOneWithChildren(live, async (_, [child]) => {
      if (!child) return notApplicable('its objects own nothing');
      const { client, timeoutMs, signal } = live;
      const { name, namespace, uid } = child.object.metadata;
      const began = Date.now();
      await client.delete(child.type, { name, namespace }, { signal });
      const isNew = ({ metadata }: KubernetesObject) => metadata.uid !== uid && !metadata.deletionTimestamp;
      const options = { description: 'to be made again', timeout: timeoutMs, signal };
      await waitFor(client, child.type, { name, namespace }, isNew, options);
      return met(`${child.type.kind} ${name} was there again after ${((Date.now() - began) / 1000).toFixed(1)} s`);
    });
  },
};

const restored: Check = {
  id: 'lifecycle-restore',
  title: 'an object that was saved, lost and brought back is looked after as before',
  disruptive: true,
  async run(live) {
    return await ofOneWithChildren(live, async (specimen, children) => {
      const { client, timeoutMs, signal } = live;
      const { type, ...ref } = specimen;
      const { metadata, spec } = await client.get(type, ref, { signal });
      const { labels, annotations } = metadata;
      await client.delete(type, ref, { signal });
      await waitUntilGone(client, type, ref, { timeout: timeoutMs, signal });
      for (const child of children) {
        const { name, namespace, uid } = child.object.metadata;
        // Gone, or made again for somebody else.
        await waitUntilOther(live, child, { name, namespace }, uid);
      }
      const saved = { metadata: { ...ref, ...(labels && { labels }), ...(annotations && { annotations }) }, spec };
      await client.create(type, saved as never, { signal });
      await untilReconciled(live, [specimen]);
      const options = { description: 'to be made again', timeout: timeoutMs, signal };
      for (const { type: kind, object } of children) {
        const { name, namespace } = object.metadata;
        await waitFor(client, kind, { name, namespace }, (found) => !found.metadata.deletionTimestamp, options);
      }
      const own = children.length > 0 ? `, with ${children.length} objects that it owns` : '';
      return met(`${type.kind} ${ref.name} went when it was deleted, and came back${own}`);
    });
  },
};

const backedUp: Check = {
  id: 'lifecycle-backup',
  title: 'data that it keeps can be saved and brought back',
  async run(live) {
    const { kinds, specimens } = live;
    const backups = kinds.filter(({ crd }) => backupKind.test(crd.spec.names.kind));
    if (backups.length > 0) {
      const names = backups.map(({ crd }) => crd.spec.names.kind).join(', ');
      return untested(`it has CRDs for it (${names}); whether they work only its own tests can say`);
    }
    if (specimens.length === 0) return untested('there is no object of its CRDs, so nobody knows what it keeps');
    const keeping = (await childrenOfAll(live)).find(isKeeping);
    if (!keeping) return notApplicable('nothing that it makes keeps data: its objects are all there is to save');
    const { type, object } = keeping;
    return unmet(`${type.kind} ${object.metadata.name} keeps data, and none of its CRDs is for backups`);
  },
};

export const lifecycle: LevelChecks = { level: 3, checks: [placed, backedUp, takenOver, remade, restored] };

function isKeeping({ type, object }: Child): boolean {
  if (type.kind === 'PersistentVolumeClaim') return true;
  const { spec } = object as KubernetesObject & { spec?: { volumeClaimTemplates?: unknown[] } };
  return type.kind === 'StatefulSet' && (spec?.volumeClaimTemplates?.length ?? 0) > 0;
}

/** With the object that owns most: examples alone, never what somebody uses. */
async function ofOneWithChildren(
  live: Live,
  act: (specimen: Specimen, children: readonly Child[]) => Promise<Outcome>,
): Promise<Outcome> {
  if (live.noSamples) return untested(live.noSamples);
  let best: { specimen: Specimen; children: readonly Child[] } | undefined;
  for (const specimen of live.specimens) {
    const children = await childrenOf(live, specimen);
    if (!best || children.length > best.children.length) best = { specimen, children };
  }
  return best ? await act(best.specimen, best.children) : untested('the bundle has no examples to make');
}

async function waitUntilOther(
  { client, timeoutMs, signal }: Live,
  { type }: Child,
  ref: { name: string; namespace: string | undefined },
  uid: string | undefined,
): Promise<void> {
  const found = await client.find(type, ref, { signal });
  if (found?.metadata.uid === uid) await waitUntilGone(client, type, ref, { timeout: timeoutMs, signal });
}
