/**
 * What is done next for a cluster: one step, decided from what is there at this moment. Pure: no clock, no chance, no network. Rules
 * that it never breaks, whatever the situation; decide.model.test.ts plays random histories against them:
 *
 * 1. One change of the list at a time, one learner at a time, and nobody is added while a voter gives no answer.
 * 2. Nobody is taken off the list, nor stopped, unless quorum is there without him; of two, unless the other is well.
 * 3. Data goes only after its member is off the list, and quorum has said so.
 * 4. A cluster that has data is never begun anew.
 * 5. Without quorum nothing is taken away: pods that are missing are started again on their own data, and that is all; but where
 *    people have asked for it, and a majority is gone for good: see quorum-loss.ts.
 */
import { corrupted } from './corruption.ts';
import { maintaining, stillFull } from './maintenance.ts';
import { recovered, withoutQuorum } from './quorum-loss.ts';
import {
  type ListedMember,
  type Listing,
  overdue,
  type PlannedMember,
  quorumOf,
  type SeedData,
  type Situation,
} from './situation.ts';
import type { Step } from './step.ts';
import { canRest, canSpare, handOver, isHealthy, listedAs, silentVoter, votersOf } from './voters.ts';

export function decide(situation: Situation): Step {
  const { paused, formed, members, listing, freshName } = situation;
  if (paused) return { do: 'nothing', why: 'paused' };
  if (!formed) return begin(situation);
  // Only ever so if somebody has edited the status: nothing is guessed about data.
  if (members.length === 0) {
    return {
      do: 'wait',
      concern: 'member',
      why: 'the cluster has data, and no member of it is written down in the status',
    };
  }
  if (!listing) return withoutQuorum(situation);
  const stranger = listing.members.find(({ name }) => name === undefined);
  if (stranger) {
    const why = `member ${stranger.id} is in etcd's list and was not added by this operator: remove it with etcdctl`;
    return { do: 'wait', concern: 'stranger', why };
  }
  return (
    recovered(situation, listing) ??
    unwritten(situation, listing) ??
    leaving(situation, listing) ??
    restarting(situation, listing) ??
    corrupted(situation, listing) ??
    joining(situation, listing) ??
    lost(situation, listing) ??
    maintaining(situation, listing) ??
    resized(situation, listing, freshName) ??
    outdated(situation, listing) ??
    stillFull(situation, listing) ??
    held(situation) ?? { do: 'nothing', why: 'as wanted' }
  );
}

/** Where the status was lost, etcd's list still says who there is. */
function unwritten({ members }: Situation, listing: Listing): Step | undefined {
  for (const { name, isLearner } of listing.members) {
    if (name === undefined || members.some((member) => member.name === name)) continue;
    return { do: 'plan', member: { name, state: isLearner ? 'Joining' : 'Member' }, why: "it is in etcd's list" };
  }
  return undefined;
}

/** The first member, alone: the others join it. So there is one way into a cluster, and a cluster is begun by one write. */
function begin({ members, freshName, objects, healthy, seedData, leftovers = [] }: Situation): Step {
  const [seed] = members;
  if (!seed && leftovers.length > 0) {
    const why = `there are pods of a cluster of this name from before: ${leftovers.join(', ')}. Wait until they have ended, or delete them`;
    return { do: 'wait', concern: 'stranger', why };
  }
  if (!seed) return { do: 'plan', member: { name: freshName, state: 'Seed' }, why: 'the first member' };
  const { name } = seed;
  const own = objects.get(name);
  if (needsPod(own)) {
    const before = seedData && withData(name, seedData);
    return before ?? { do: 'start', name, begin: true, why: 'the first member' };
  }
  if (own?.pod === 'failed') return { do: 'stop', name, why: 'its pod has failed' };
  return { do: 'wait', why: healthy.has(name) ? `${name} is to be written down` : `${name} starts` };
}

/** What comes before the first member is started; nothing, once its data is there. */
function withData(name: string, data: SeedData): Step | undefined {
  switch (data.is) {
    case 'there':
      return undefined;
    case 'wanted':
      return { do: 'restore', name, again: false, why: 'it begins with the data of a backup' };
    case 'coming':
      return { do: 'wait', why: `${name} gets the data of a backup: ${data.why}` };
    case 'failed':
      return data.again
        ? { do: 'restore', name, again: true, why: data.why }
        : { do: 'wait', concern: 'member', why: `${name} does not get the data of its backup: ${data.why}` };
  }
}

function leaving(situation: Situation, listing: Listing): Step | undefined {
  const { members, objects } = situation;
  const member = members.find(({ state }) => state === 'Leaving');
  if (!member) return undefined;
  const { name, reason = 'it is to go' } = member;
  const listed = listedAs(listing, name);
  if (listed) {
    // It answers, or the others would be quorum: so it may as well stay until they are.
    if (!listed.isLearner && !canSpare(situation, listing, listed)) {
      return { do: 'plan', member: { name, state: 'Member' }, why: 'another gives no answer: it goes later' };
    }
    return (
      handOver(situation, listing, listed, `${name} is to go: ${reason}`) ?? {
        do: 'remove',
        name,
        id: listed.id,
        why: reason,
      }
    );
  }
  const own = objects.get(name);
  if (own && own.pod !== 'absent' && own.pod !== 'ending') return { do: 'stop', name, why: reason };
  if (own?.claim) {
    return { do: 'discard', name, keep: member.keepVolume === true, why: `it is off the list: ${reason}` };
  }
  // A pod that is told to end on a node that is lost stays for as long as the node: nobody waits for it.
  return { do: 'forget', name, why: reason };
}

/** Its pod goes and comes again, on the same data. Nothing else happens until it answers. */
function restarting(situation: Situation, listing: Listing): Step | undefined {
  const { members, objects, healthy } = situation;
  const member = members.find(({ state }) => state === 'Restarting');
  if (!member) return undefined;
  const { name, reason = 'it is to be restarted' } = member;
  const own = objects.get(name);
  const listed = listedAs(listing, name);
  // Somebody has taken it off the list, or its data is gone: it can't come back as who it was.
  if (!listed) return leave({ ...member, keepVolume: true }, 'it was taken off the list');
  if (!own?.claim) return leave(member, 'its volume is gone');
  if (own.pod === 'absent') return { do: 'start', name, begin: false, why: reason };
  if (own.pod === 'ending') {
    return overdue(situation, member)
      ? leave(member, 'its pod does not end')
      : { do: 'wait', why: `the pod of ${name} ends` };
  }
  if (!own.upToDate || own.pod === 'failed') return stopInOrder(situation, listing, listed, member);
  if (healthy.has(name)) return { do: 'plan', member: { name, state: 'Member' }, why: 'it is back' };
  if (own.gone && overdue(situation, member)) return leave(member, 'its node is gone for good');
  // Another in its place would come up no better, if it is the new settings that keep it down.
  return overdue(situation, member)
    ? { do: 'wait', concern: 'member', why: `${name} gives no answer since it was restarted: ${reason}` }
    : { do: 'wait', why: `${name} starts again: ${reason}` };
}

/** Only while the others can do without it, and somebody else leads. */
function stopInOrder(situation: Situation, listing: Listing, listed: ListedMember, member: PlannedMember): Step {
  const { name, reason = 'it is to be restarted' } = member;
  if (isHealthy(situation, listed) && !canRest(situation, listing, listed)) {
    return { do: 'plan', member: { name, state: 'Member' }, why: 'another gives no answer: it is restarted later' };
  }
  return handOver(situation, listing, listed, reason) ?? { do: 'stop', name, why: reason };
}

function joining(situation: Situation, listing: Listing): Step | undefined {
  const { members, objects, healthy } = situation;
  const member = members.find(({ state }) => state === 'Joining' || state === 'Seed');
  if (!member) return undefined;
  const { name, reason = 'one more is wanted' } = member;
  const listed = listedAs(listing, name);
  if (listed && !listed.isLearner) return { do: 'plan', member: { name, state: 'Member' }, why: 'it votes' };
  if (!listed) {
    const silent = silentVoter(situation, listing);
    if (silent)
      return lostOf(situation, listing, silent) ?? { do: 'wait', why: `${silent} gives no answer: nobody is added` };
    return { do: 'add', name, why: reason };
  }
  const own = objects.get(name);
  if (needsPod(own)) return { do: 'start', name, begin: false, why: reason };
  if (own?.pod === 'ending' || own?.pod === 'failed' || overdue(situation, member)) {
    return leave(member, own?.pod === 'ending' ? 'its pod was deleted while it joined' : 'it did not come up');
  }
  if (healthy.has(name)) return { do: 'promote', name, id: listed.id, why: 'it has caught up' };
  return { do: 'wait', why: `${name} starts and catches up: ${reason}` };
}

/** A voter whose pod is gone, or which gives no answer for too long. */
function lost(situation: Situation, listing: Listing): Step | undefined {
  for (const { name } of situation.members) {
    const step = lostOf(situation, listing, name);
    if (step) return step;
  }
  return undefined;
}

function lostOf(situation: Situation, listing: Listing, name: string): Step | undefined {
  const member = situation.members.find((one) => one.name === name && one.state === 'Member');
  if (!member) return undefined;
  const listed = listedAs(listing, name);
  // Nobody here has asked for that, so nobody here deletes its data.
  if (!listed) return leave({ ...member, keepVolume: true }, 'it was taken off the list');
  // So it is where the status was lost, and made anew of what is there.
  if (listed.isLearner) return { do: 'plan', member: { name, state: 'Joining' }, why: 'it is a learner' };
  const reason = whyLost(situation, member);
  if (!reason) return undefined;
  const voters = votersOf(listing);
  const well = voters.filter((voter) => voter.id !== listed.id && isHealthy(situation, voter));
  if (well.length < quorumOf(voters.length)) return keep(situation, member, reason);
  // Whoever has put it there may want it back.
  return leave(situation.foreign.has(name) ? { ...member, keepVolume: true } : member, reason);
}

function whyLost(situation: Situation, member: PlannedMember): string | undefined {
  const { objects, healthy, foreign } = situation;
  const pod = objects.get(member.name)?.pod ?? 'absent';
  if (pod === 'absent') return 'its pod is gone';
  if (pod === 'failed') return 'its pod has failed';
  if (foreign.has(member.name)) return 'its data is of another cluster';
  return !healthy.has(member.name) && overdue(situation, member) ? 'it gives no answer' : undefined;
}

/** One that quorum can't spare: it comes back as who it was, or a person is called. */
function keep({ objects }: Situation, { name }: PlannedMember, reason: string): Step {
  const own = objects.get(name);
  const why = `${reason}, and there is no quorum without it`;
  if (!own?.claim) return { do: 'wait', concern: 'quorum', why: `${name}: ${why}; its volume is gone` };
  if (own.pod === 'absent') return { do: 'start', name, begin: false, why };
  if (own.pod === 'failed') return { do: 'stop', name, why };
  return { do: 'wait', concern: 'quorum', why: `${name}: ${why}` };
}

function resized(situation: Situation, listing: Listing, freshName: string): Step | undefined {
  const { size, members } = situation;
  const voters = votersOf(listing);
  if (voters.length === size) return undefined;
  const silent = silentVoter(situation, listing);
  if (voters.length < size) {
    if (silent) return { do: 'wait', why: `${silent} gives no answer: nobody is added` };
    return { do: 'plan', member: { name: freshName, state: 'Joining' }, why: `${size} members are wanted` };
  }
  // Who gives no answer goes first; the leader last; of the others who came last.
  const names = members.filter(({ state }) => state === 'Member').map(({ name }) => name);
  const leader = listing.members.find(({ id }) => id === listing.leader)?.name;
  const goes = (silent && names.includes(silent) ? silent : undefined) ?? names.findLast((name) => name !== leader);
  const member = members.find(({ name }) => name === goes);
  return member && leave(member, `${size} members are wanted`);
}

/** Followers first: by the time it is the leader's turn its work can be given to one that is done. */
function outdated(situation: Situation, listing: Listing): Step | undefined {
  const { members, objects } = situation;
  const old = members.filter(({ name }) => objects.get(name)?.upToDate === false);
  if (old.length === 0) return undefined;
  const silent = silentVoter(situation, listing);
  if (silent) return { do: 'wait', why: `${silent} gives no answer: nobody is restarted` };
  const leader = listing.members.find(({ id }) => id === listing.leader)?.name;
  const member = old.find(({ name }) => name !== leader) ?? old[0];
  if (!member) return undefined;
  const reason = 'its pod is not as the spec wants it';
  // Where writes are refused because a database is full, it may be a larger quota that is to be brought.
  const proof = situation.noSpace ? {} : ({ afterWrite: true } as const);
  return { do: 'plan', member: { name: member.name, state: 'Restarting', reason }, ...proof, why: reason };
}

const held = ({ held }: Situation): Step | undefined =>
  held ? { do: 'wait', concern: 'version', why: held } : undefined;

const leave = ({ name, keepVolume }: PlannedMember, reason: string): Step => ({
  do: 'plan',
  member: { name, state: 'Leaving', reason, ...(keepVolume ? { keepVolume } : {}) },
  why: reason,
});

const needsPod = (own: { pod: string; claim: boolean } | undefined): boolean => !own || own.pod === 'absent';
