/**
 * What is done while quorum is not there. Whoever has its data is started again, and may be quorum again. Only where people have asked
 * for it, and so many are gone for good that no quorum can ever come, the cluster goes on from the survivor that knows most:
 *
 * 1. Who was seen to be gone counts, and has been silent for as long as members may be; nobody who is only missed. Whoever may vote and
 *    has its data counts as one who votes, whatever was written down of him.
 * 2. Nothing is chosen before every survivor has said how far it goes.
 * 3. The choice is written down before anything is touched; until the survivor has begun anew it is called off if others come back.
 * 4. Whoever may vote beside it has no pod any more when it begins anew.
 * 5. Nothing joins before it runs again as others do, and no client is led to it until then.
 * 6. No survivor's data is deleted.
 */
import {
  type Listing,
  type MemberObjects,
  overdue,
  type PlannedMember,
  type Position,
  quorumOf,
  type Recovery,
  type Situation,
} from './situation.ts';
import type { Step } from './step.ts';

export function withoutQuorum(situation: Situation): Step {
  const { recovery } = situation;
  const verdict = judge(situation);
  if (recovery && recovery.stage !== 'Done') return recover(situation, recovery, verdict);
  const stopped = restartable(situation);
  if (stopped) return stopped;
  if (verdict.is === 'open') return { do: 'wait', concern: 'quorum', why: verdict.why };
  if (verdict.is === 'silent' || !situation.recovers) {
    return { do: 'wait', concern: 'quorum', why: `${verdict.why}; ${waysOut(situation)}` };
  }
  const { best, others, lost, why } = verdict;
  const position = situation.positions.get(best) as Position;
  return {
    do: 'recover',
    recovery: { stage: 'Forcing', survivor: best, position, lost, leftBehind: others, since: situation.now },
    why: `${why}; goes on from ${best}, which knows most (revision ${position.revision}, index ${position.index}): what was written after that is lost`,
  };
}

const waysOut = ({ recovers }: Situation): string =>
  recovers
    ? 'restore a backup into a new cluster'
    : 'nothing is changed: set spec.quorumLoss to Recover to go on from who is left, or restore a backup into a new cluster';

/** What the loss comes to: `open`: quorum may come back; `silent`: it can't, and nobody can be gone on from; `lost`: from whom. */
type Verdict =
  | { readonly is: 'open'; readonly why: string }
  | { readonly is: 'silent'; readonly why: string }
  | {
      readonly is: 'lost';
      readonly best: string;
      readonly others: readonly string[];
      readonly lost: readonly string[];
      readonly why: string;
    };

function judge(situation: Situation): Verdict {
  const { members, objects, healthy, positions } = situation;
  const votes = ({ state, unconfirmed }: PlannedMember) => state !== 'Joining' && state !== 'Leaving' && !unconfirmed;
  const isGone = (member: PlannedMember) => objects.get(member.name)?.gone === true && overdue(situation, member);
  const left = members.filter((member) => !isGone(member));
  // One that joins or leaves may vote already, or still: where it has its data it counts, where not it doesn't.
  const voters = members.filter((member) => votes(member) || !isGone(member)).length;
  const lost = members.filter(isGone).map(({ name }) => name);
  const answer = members.filter(({ name }) => healthy.has(name)).length;
  if (left.length >= quorumOf(voters)) return { is: 'open', why: `no quorum: ${answer} of ${voters} members answer` };
  const why = `no quorum for good: the data of ${lost.join(', ')} is gone`;
  if (healthy.size > 0) return { is: 'open', why: `${why}, but ${[...healthy].join(', ')} knows a leader` };
  if (!left.some(votes)) return { is: 'silent', why: `${why}, and no other member is left` };
  const silent = left.find(({ name }) => !positions.has(name))?.name;
  if (silent)
    return {
      is: 'silent',
      why: `${why}; ${silent} does not say how far its data goes: delete its volume to do without it`,
    };
  const byPosition = left.toSorted((a, b) => ahead(positions.get(b.name), positions.get(a.name)));
  const most = positions.get(byPosition[0]?.name ?? '');
  const best = byPosition.find((member) => votes(member) && ahead(positions.get(member.name), most) === 0);
  if (!best) {
    const name = byPosition[0]?.name;
    return {
      is: 'silent',
      why: `${why}; ${name} knows most and is not sure to vote: delete its volume to do without it`,
    };
  }
  const others = left.filter((member) => member !== best).map(({ name }) => name);
  return { is: 'lost', best: best.name, others, lost, why };
}

/** By what was acknowledged to clients; where that is the same, by the log. */
const ahead = (a: Position | undefined, b: Position | undefined): number =>
  (a?.revision ?? 0) - (b?.revision ?? 0) || (a?.index ?? 0) - (b?.index ?? 0);

/**
 * Whoever lacks a pod and has its data gets a pod again. Nothing else is certain enough. One that is leaving comes last: it may be off
 * the list already, and then its peers refuse it, which harms nobody.
 */
function restartable({ members, objects }: Situation): Step | undefined {
  const isStopped = ({ name }: PlannedMember) => {
    const own = objects.get(name);
    return own?.claim === true && !own.gone && (own.pod === 'absent' || own.pod === 'failed');
  };
  const stopped = members.find((one) => one.state !== 'Leaving' && isStopped(one)) ?? members.find(isStopped);
  if (!stopped) return undefined;
  const { name } = stopped;
  const why = 'there is no quorum without it, and its data is there';
  return objects.get(name)?.pod === 'failed' ? { do: 'stop', name, why } : { do: 'start', name, begin: false, why };
}

/** The others are put to rest, then the survivor begins anew. */
function recover(situation: Situation, recovery: Recovery, verdict: Verdict): Step {
  const { recovers, objects } = situation;
  const { stage, survivor } = recovery;
  const own = objects.get(survivor);
  if (!own?.claim || own.gone) return { do: 'call-off', why: `the data of ${survivor} is gone as well` };
  if (stage === 'Forcing' && !own.forced && (verdict.is === 'open' || !recovers)) {
    return { do: 'call-off', why: recovers ? verdict.why : 'spec.quorumLoss is Never' };
  }
  return othersRest(situation, survivor) ?? beginAnew(own, recovery);
}

function othersRest({ members, objects }: Situation, survivor: string): Step | undefined {
  const why = `the cluster goes on from ${survivor}`;
  for (const { name } of members) {
    const other = objects.get(name);
    if (name === survivor || !other || other.pod === 'absent') continue;
    if (other.pod !== 'ending') return { do: 'stop', name, why };
    // On a node that is gone it ends no more.
    if (!other.gone) return { do: 'wait', concern: 'quorum', why: `${why}: the pod of ${name} ends` };
  }
  return undefined;
}

function beginAnew({ pod, forced }: MemberObjects, { stage, survivor: name, leftBehind }: Recovery): Step {
  const why = `the cluster goes on from ${name}`;
  const isForced = stage === 'Forcing';
  if (pod === 'absent') return { do: 'start', name, begin: false, ...(isForced ? { force: true } : {}), why };
  if (pod === 'ending') return { do: 'wait', concern: 'quorum', why: `${why}: its pod ends` };
  if (pod === 'failed' || forced !== isForced) return { do: 'stop', name, why };
  const kept = leftBehind.length > 0 ? `; the volumes of ${leftBehind.join(', ')} are kept` : '';
  return { do: 'wait', concern: 'quorum', why: `${why}: it starts${kept}` };
}

/** Quorum is there: because the survivor has begun anew, or because others came back. */
export function recovered({ members, objects, recovery, healthy }: Situation, listing: Listing): Step | undefined {
  if (!recovery || recovery.stage === 'Done') {
    // So it is where the status was lost.
    const forced = members.find(({ name, state }) => objects.get(name)?.forced && state !== 'Restarting');
    if (!forced) return undefined;
    const reason = 'it would forget whoever joins';
    return { do: 'plan', member: { name: forced.name, state: 'Restarting', reason }, why: reason };
  }
  const { survivor, stage, position } = recovery;
  const own = objects.get(survivor);
  const isAlone = listing.members.length === 1 && listing.members[0]?.name === survivor;
  if (!isAlone) return { do: 'call-off', why: 'quorum is back' };
  if (stage === 'Forcing') {
    return { do: 'recover', recovery: { ...recovery, stage: 'Restarting' }, why: `${survivor} has begun anew, alone` };
  }
  if (own?.forced && own.pod !== 'ending') {
    return { do: 'stop', name: survivor, why: 'it would forget whoever joins' };
  }
  if (own?.pod !== 'running' || !healthy.has(survivor)) return { do: 'wait', why: `${survivor} starts as others do` };
  const why = `${survivor} has what was written until revision ${position.revision}; new members take the place of the others`;
  return { do: 'recover', recovery: { ...recovery, stage: 'Done' }, why };
}
