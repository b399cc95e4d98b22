/**
 * Data that is not what the others have. etcd finds it by hashes, raises CORRUPT, and refuses reads and writes of everybody until the alarm
 * is put out. Where a majority agrees, whoever differs is replaced, its volume is kept to be looked at, and the alarm is put out once it
 * is off the list. Where nobody knows who is right, a person is called.
 */
import { type Listing, quorumOf, type Situation } from './situation.ts';
import type { Step } from './step.ts';
import { isHealthy, votersOf } from './voters.ts';

/** As etcd names whose data is corrupt where no majority agrees: everybody's may be. */
const ANYBODY = '0';

export function corrupted(situation: Situation, listing: Listing): Step | undefined {
  const { corrupt, members } = situation;
  if (corrupt.size === 0) return undefined;
  const listed = listing.members.filter(({ id }) => corrupt.has(id));
  const remedy = 'restore a backup from before into a new cluster, or compare members with etcdctl endpoint hashkv';
  if (corrupt.has(ANYBODY)) {
    return { do: 'wait', concern: 'corrupt', why: `members have different data, and no majority agrees: ${remedy}` };
  }
  const [bad] = listed;
  if (!bad) return { do: 'disarm', alarm: 'CORRUPT', why: 'whose data was corrupt is no member any more' };
  const voters = votersOf(listing);
  const sound = voters.filter((voter) => !corrupt.has(voter.id) && isHealthy(situation, voter));
  const member = members.find(({ name }) => name === bad.name);
  if (!member || sound.length < quorumOf(voters.length)) {
    const why = `the data of ${bad.name ?? bad.id} is corrupt (CORRUPT), and those whose data is not are no quorum: ${remedy}`;
    return { do: 'wait', concern: 'corrupt', why };
  }
  const reason = 'etcd says that its data is corrupt';
  return { do: 'plan', member: { name: member.name, state: 'Leaving', reason, keepVolume: true }, why: reason };
}
