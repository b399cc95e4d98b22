/** What is written down after a step: of the members, and of how the cluster goes on from a survivor. */
import type { Maintenance, PlannedMember, Recovery } from './situation.ts';
import type { Step } from './step.ts';

/** The members, as the next pass finds them. */
export function membersAfter(members: readonly PlannedMember[], step: Step): readonly PlannedMember[] {
  if (step.do === 'recover') return membersAfterRecovery(members, step.recovery);
  if (step.do === 'forget') return members.filter(({ name }) => name !== step.name);
  if (step.do !== 'plan') return members;
  const { member } = step;
  const at = members.findIndex(({ name }) => name === member.name);
  return at < 0 ? [...members, member] : members.with(at, member);
}

/** Whoever was left behind is to go, once the survivor runs as others do. */
function membersAfterRecovery(members: readonly PlannedMember[], recovery: Recovery): readonly PlannedMember[] {
  if (recovery.stage !== 'Done') return members;
  return members.map((member) => {
    if (member.name === recovery.survivor) return { name: member.name, state: 'Member' };
    const keepVolume = recovery.leftBehind.includes(member.name);
    return { ...member, state: 'Leaving', reason: 'it was left behind when quorum was lost', keepVolume };
  });
}

/** The recovery, as the next pass finds it. */
export function recoveryAfter(recovery: Recovery | undefined, step: Step): Recovery | undefined {
  if (step.do === 'recover') return step.recovery;
  return step.do === 'call-off' ? undefined : recovery;
}

/** The maintenance, as the next pass finds it. */
export function maintenanceAfter(maintenance: Maintenance | undefined, step: Step): Maintenance | undefined {
  return step.do === 'maintain' || step.do === 'compact' || step.do === 'defragment' ? step.maintenance : maintenance;
}
