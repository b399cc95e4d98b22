/** What people are told of a step, in the log and as Events. */
import type { AuthorContext } from '@kurator/sdk';
import type { Step } from './brain/step.ts';

/** Of one that was done, and of one that waits for something that a person should know of. */
export function tell(step: Step, { event, log }: AuthorContext): void {
  if (step.do === 'nothing') return;
  if (step.do === 'wait') {
    if (step.concern) event('Warning', concernOf[step.concern], step.why);
    return;
  }
  const said = describe(step);
  log.info(said, { step: step.do });
  if (isRoutine(step)) return;
  event(step.do === 'recover' ? 'Warning' : 'Normal', eventOf[step.do], said);
}

/**
 * What only writes down what was told, or is told next: an object has some twenty Events in a while, and a member that joins would have taken five
 * of them, so that nothing was left to say that quorum is lost.
 */
const isRoutine = (step: Step): boolean =>
  step.do === 'forget' || (step.do === 'plan' && step.member.state !== 'Leaving' && step.member.state !== 'Restarting');

/** A step in words. */
export function describe(step: Step): string {
  switch (step.do) {
    case 'plan':
      return `${step.member.name} is ${step.member.state}: ${step.why}`;
    case 'forget':
      return `${step.name} is gone: ${step.why}`;
    case 'start':
      return `starts ${step.name}${step.force ? ' as a cluster of its own' : ''}: ${step.why}`;
    case 'restore':
      return `restores the data of ${step.name}: ${step.why}`;
    case 'stop':
      return `stops the pod of ${step.name}: ${step.why}`;
    case 'recover':
    case 'call-off':
      return step.do === 'call-off' ? `does not go on from one member: ${step.why}` : step.why;
    case 'discard':
      if (step.keep) return `lets go of the volume of ${step.name}, which stays: ${step.why}`;
      return `deletes the volume of ${step.name}: ${step.why}`;
    case 'add':
      return `adds ${step.name} as a learner: ${step.why}`;
    case 'promote':
      return `promotes ${step.name}: ${step.why}`;
    case 'remove':
      return `takes ${step.name} off the list: ${step.why}`;
    case 'move-leader':
      return `${step.to} is to lead instead of ${step.from}: ${step.why}`;
    case 'maintain':
      return step.maintenance.finished === undefined ? `makes room: ${step.why}` : `has made room: ${step.why}`;
    case 'compact':
      return `forgets the history of keys: ${step.why}`;
    case 'defragment':
      return `defragments ${step.name}: ${step.why}`;
    case 'disarm':
      return `lets etcd accept writes again: ${step.why}`;
    case 'wait':
    case 'nothing':
      return step.why;
  }
}

const eventOf = {
  plan: 'MemberPlanned',
  forget: 'MemberGone',
  start: 'MemberStarted',
  restore: 'DataRestored',
  stop: 'MemberStopped',
  discard: 'VolumeDeleted',
  add: 'MemberAdded',
  promote: 'MemberPromoted',
  remove: 'MemberRemoved',
  'move-leader': 'LeaderMoved',
  maintain: 'Maintenance',
  compact: 'Compacted',
  defragment: 'Defragmented',
  disarm: 'AlarmDisarmed',
  recover: 'Recovering',
  'call-off': 'RecoveryCalledOff',
} as const;
const concernOf = {
  quorum: 'QuorumLost',
  stranger: 'StrangeMember',
  member: 'MemberStuck',
  version: 'UpgradeRefused',
  space: 'DatabaseFull',
  corrupt: 'DataCorrupt',
} as const;
