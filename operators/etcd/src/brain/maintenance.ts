/**
 * Room in the database. Members are defragmented one at a time, followers first, and a leader hands over before: each answers nobody
 * meanwhile. Where etcd has raised NOSPACE its history is compacted before, and the alarm is put out after; no key is ever deleted.
 * What is done is written down member by member, so that whoever comes after a crash goes on with the next.
 */
import type { Listing, Maintenance, Situation } from './situation.ts';
import type { Step } from './step.ts';
import { handOver, silentVoter, votersOf } from './voters.ts';

/** How long after a try that did not help the next one comes: somebody may have deleted keys. */
const AGAIN = 600_000;

export function maintaining(situation: Situation, listing: Listing): Step | undefined {
  const { maintenance } = situation;
  if (!maintenance || maintenance.finished !== undefined) return beginning(situation);
  const silent = silentVoter(situation, listing);
  if (silent) return { do: 'wait', why: `${silent} gives no answer: nobody is defragmented` };
  if (maintenance.reason === 'NoSpace' && !maintenance.compacted) {
    return { do: 'compact', maintenance: { ...maintenance, compacted: true }, why: 'the database is full' };
  }
  return defragmenting(situation, listing, maintenance) ?? finishing(situation, maintenance);
}

function beginning({ maintenance, noSpace, request, now }: Situation): Step | undefined {
  const begun = { since: now, compacted: false, done: [], ...(request ? { request } : {}) };
  const isRecent = maintenance?.reason === 'NoSpace' && now - maintenance.since < AGAIN;
  if (noSpace && !isRecent) {
    const why = 'etcd refuses writes: the database is full (NOSPACE)';
    return { do: 'maintain', maintenance: { ...begun, reason: 'NoSpace' }, why };
  }
  if (!request || request === maintenance?.request) return undefined;
  return { do: 'maintain', maintenance: { ...begun, reason: 'Request' }, why: 'a defragmentation is due' };
}

function defragmenting(situation: Situation, listing: Listing, maintenance: Maintenance): Step | undefined {
  const left = votersOf(listing).filter(({ name }) => name !== undefined && !maintenance.done.includes(name));
  const next = left.find(({ id }) => id !== listing.leader) ?? left[0];
  if (next?.name === undefined) return undefined;
  const why = maintenance.reason === 'NoSpace' ? 'the database is full' : 'a defragmentation is due';
  const done = { ...maintenance, done: [...maintenance.done, next.name] };
  return handOver(situation, listing, next, why) ?? { do: 'defragment', name: next.name, maintenance: done, why };
}

function finishing({ noSpace, full, now }: Situation, maintenance: Maintenance): Step {
  if (noSpace && full.size === 0) return { do: 'disarm', alarm: 'NOSPACE', why: 'there is room in every database' };
  const why = noSpace ? `no room was made in ${[...full].join(', ')}` : 'every member is defragmented';
  return { do: 'maintain', maintenance: { ...maintenance, finished: now }, why };
}

/** What is left when nothing helps: a person. */
export function stillFull(situation: Situation, listing: Listing): Step | undefined {
  const { noSpace, full } = situation;
  if (!noSpace) return undefined;
  const silent = silentVoter(situation, listing);
  if (silent) return { do: 'wait', why: `${silent} gives no answer: whether it has room is not known` };
  // Because they may be larger now, or because keys were deleted.
  if (full.size === 0) return { do: 'disarm', alarm: 'NOSPACE', why: 'there is room in every database' };
  const why = `writes are refused: the database of ${[...full].join(', ')} is full of keys (NOSPACE)`;
  return { do: 'wait', concern: 'space', why: `${why}: delete keys, or raise spec.quotaBackendBytes` };
}
