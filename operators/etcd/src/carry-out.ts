/** Does one step. What it is about was written down before; done twice it comes to the same. */

import { type AuthorContext, PersistentVolumeClaim, Pod, Secret } from '@kurator/sdk';
import { restoreSeed } from './backups/seed.ts';
import type { Step } from './brain/step.ts';
import { memberSecret, type Trust } from './children/certificates.ts';
import { claimOf, podOf } from './children/member.ts';
import { memberSecretOf, peerUrlOf } from './children/names.ts';
import { type Endpoint, type EtcdClient, EtcdError } from './database/etcd-client.ts';
import type { Look } from './look.ts';
import type { EtcdCluster } from './resources.ts';
import { trusting } from './rotation/trust.ts';

/** What a step is done with. */
export interface Means {
  readonly cluster: EtcdCluster;
  readonly trust: Trust;
  readonly etcd: EtcdClient;
  readonly look: Look;
  readonly context: AuthorContext;
}

export async function carryOut(step: Step, means: Means): Promise<void> {
  const { cluster, etcd, look, context } = means;
  const { signal } = context;
  switch (step.do) {
    case 'start':
      return await start(step, means);
    case 'restore':
      return await restore(step.name, step.again, means);
    case 'stop':
      await context.remove(Pod, step.name);
      return;
    case 'discard':
      await (step.keep ? context.release : context.remove)(PersistentVolumeClaim, step.name);
      await context.remove(Secret, memberSecretOf(step.name));
      return;
    case 'add':
      return await etcd.addLearner(someVoter(look), peerUrlOf(cluster, step.name), signal);
    case 'promote':
      return await etcd.promote(someVoter(look), step.id, signal);
    case 'remove':
      return await etcd.remove(someVoter(look, step.name), step.id, signal);
    case 'move-leader':
      return await etcd.moveLeader(endpointOf(look, step.from), step.toId, signal);
    case 'compact':
      return await compact(means);
    case 'defragment':
      return await etcd.defragment(endpointOf(look, step.name), signal);
    case 'disarm':
      return await etcd.disarm(someVoter(look), step.alarm, signal);
    case 'plan':
      if (step.afterWrite) await etcd.proveWrites(someVoter(look), signal);
      return;
    case 'forget':
    case 'recover':
    case 'maintain':
    case 'call-off':
    case 'wait':
    case 'nothing':
      return;
  }
}

type StartStep = Extract<Step, { do: 'start' }>;

/** The data first, then the certificate, then the pod that mounts both. */
async function start({ name, begin, force }: StartStep, { cluster, trust, look, context }: Means): Promise<void> {
  const { apply, get } = context;
  const { listing, now, objects } = look.situation;
  // A claim whose member has data is never made anew: an empty one in its place would be a member that forgot what it has promised.
  if (!objects.get(name)?.claim) await apply(PersistentVolumeClaim, claimOf(cluster, name));
  const secret = memberSecret(cluster, name, trust, get(Secret, memberSecretOf(name)), now);
  if (secret) await apply(Secret, secret);
  const members = begin ? [name] : (listing?.members ?? []).flatMap((listed) => listed.name ?? []);
  const others = members.includes(name) ? members : [...members, name];
  const copy = force ? { copy: `before-recovery-${now.toString(36)}` } : {};
  const bootstrap = { state: begin ? 'new' : 'existing', members: others, ...copy } as const;
  await apply(Pod, trusting(trust, podOf(cluster, name, bootstrap)));
}

/** The volume first; then what fills it. */
async function restore(name: string, again: boolean, { cluster, look, context }: Means): Promise<void> {
  if (!look.situation.objects.get(name)?.claim) await context.apply(PersistentVolumeClaim, claimOf(cluster, name));
  await restoreSeed(cluster, name, again, context);
}

/** Down to what keys are now: whoever watches from before has to read anew, and no key goes. */
async function compact({ etcd, look, context: { signal } }: Means): Promise<void> {
  const endpoint = someVoter(look);
  const { revision } = await etcd.status(endpoint, signal);
  await etcd.compact(endpoint, revision, signal).catch((error) => {
    // It was compacted to there before: by a pass that was cut off, or by etcd itself.
    if (!(error instanceof EtcdError && error.code === OUT_OF_RANGE)) throw error;
  });
}

/** As gRPC counts what etcd calls compacted already. */
const OUT_OF_RANGE = 11;

/** Who answers for all: the leader, if it can. */
export function someVoter({ situation, endpoints }: Look, except?: string): Endpoint {
  const { listing, healthy } = situation;
  const voters = (listing?.members ?? []).filter(({ isLearner }) => !isLearner);
  // The leader answers for all, without a detour.
  const byLeader = voters.toSorted((a, b) => Number(b.id === listing?.leader) - Number(a.id === listing?.leader));
  for (const { name } of byLeader) {
    const endpoint = name !== undefined && name !== except && healthy.has(name) ? endpoints.get(name) : undefined;
    if (endpoint) return endpoint;
  }
  throw new Error('no member that votes gives an answer');
}

function endpointOf({ endpoints }: Look, name: string): Endpoint {
  const endpoint = endpoints.get(name);
  if (!endpoint) throw new Error(`the pod ${name} has no address`);
  return endpoint;
}
