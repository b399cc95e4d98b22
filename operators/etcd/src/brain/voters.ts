/** Who votes, who of them is well, and who can be done without: questions that every decision asks. */
import { type ListedMember, type Listing, quorumOf, type Situation } from './situation.ts';
import type { Step } from './step.ts';

/** Whether quorum is there to take it off the list, and is still there once it is off. */
export function canSpare(situation: Situation, listing: Listing, { id }: ListedMember): boolean {
  const voters = votersOf(listing);
  const well = voters.filter((voter) => isHealthy(situation, voter));
  const without = well.filter((voter) => voter.id !== id);
  return well.length >= quorumOf(voters.length) && without.length >= quorumOf(voters.length - 1);
}

/** Whether the others are quorum while it is away; of two, whether the other is well at least. */
export function canRest(situation: Situation, listing: Listing, { id }: ListedMember): boolean {
  const voters = votersOf(listing);
  const others = voters.filter((voter) => voter.id !== id);
  const well = others.filter((voter) => isHealthy(situation, voter));
  return well.length >= Math.min(quorumOf(voters.length), others.length);
}

export const listedAs = ({ members }: Listing, name: string): ListedMember | undefined =>
  members.find((listed) => listed.name === name);
export const votersOf = ({ members }: Listing): ListedMember[] => members.filter(({ isLearner }) => !isLearner);
export const isHealthy = ({ healthy }: Situation, { name }: ListedMember): boolean =>
  name !== undefined && healthy.has(name);
export const silentVoter = (situation: Situation, listing: Listing): string | undefined =>
  votersOf(listing).find((voter) => !isHealthy(situation, voter))?.name;

/** Another is to lead, if it is this one and another can. */
export function handOver(situation: Situation, listing: Listing, from: ListedMember, why: string): Step | undefined {
  if (from.id !== listing.leader || from.name === undefined) return undefined;
  const to = votersOf(listing).find((voter) => voter.id !== from.id && isHealthy(situation, voter));
  return to?.name === undefined ? undefined : { do: 'move-leader', from: from.name, to: to.name, toId: to.id, why };
}
