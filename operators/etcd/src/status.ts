/** What people are told of a cluster, and what the next pass goes on from. */
import type { ConditionClaim, StatusFields } from '@kurator/sdk';
import { membersAfterRecovery, recoveryAfter } from './brain/quorum-loss.ts';
import type { Recovery } from './brain/situation.ts';
import type { Step } from './brain/step.ts';
import { LABEL } from './children/names.ts';
import type { Look } from './look.ts';
import type { EtcdCluster } from './resources.ts';

export interface Told {
  readonly status: StatusFields<EtcdCluster>;
  readonly conditions: readonly ConditionClaim[];
}

/** After the step: a member that was planned or forgotten is so from here on. */
export function statusOf(cluster: EtcdCluster, look: Look, step: Step, trouble: string | undefined): Told {
  const { situation, clusterId } = look;
  const { listing, healthy, size, formed } = situation;
  const voters = (listing?.members ?? []).filter(({ isLearner }) => !isLearner);
  const well = voters.filter(({ name }) => name !== undefined && healthy.has(name)).length;
  const leader = listing?.members.find(({ id }) => id === listing.leader)?.name;
  const currentVersion = commonVersion(look) ?? cluster.status?.currentVersion;
  const isDone = step.do === 'nothing' && !situation.paused && well === size && voters.length === size;
  const phase = phaseOf({ ...situation, isDone, hasQuorum: !!listing, well, voters: voters.length, step });
  const doing = step.do === 'nothing' ? step.why : `${step.do}: ${step.why}${trouble ? `; ${trouble}` : ''}`;
  const text = doing.slice(0, LONGEST_STEP);
  const status = {
    phase,
    size: listing ? voters.length : (cluster.status?.size ?? 0),
    ready: `${well}/${size}`,
    selector: `${LABEL}=${cluster.metadata.name}`,
    step: text,
    members: membersOf(look, step, leader),
    ...(clusterId ? { clusterId } : {}),
    ...(currentVersion ? { currentVersion } : {}),
    ...(leader ? { leader } : {}),
    ...recoveryFields(recoveryAfter(situation.recovery, step)),
  } as const;
  return { status, conditions: conditionsOf({ listing, formed, isDone, phase, text, well, voters: voters.length }) };
}

function conditionsOf({ listing, formed, isDone, phase, text, well, voters }: ConditionFacts): ConditionClaim[] {
  const answering = `${well} of ${voters} members answer`;
  const available = listing ? ({ status: 'True', reason: 'Quorum' } as const) : formed ? NO_QUORUM : NOT_YET;
  const ready = isDone
    ? ({ status: 'True', reason: 'AsWanted' } as const)
    : ({ status: 'False', reason: phase } as const);
  const isLost = formed && !listing;
  return [
    { type: 'Available', ...available, message: listing ? answering : text },
    { type: 'Ready', ...ready, message: isDone ? answering : text },
    {
      type: 'QuorumLost',
      ...(isLost
        ? ({ status: 'True', reason: 'NoQuorum' } as const)
        : ({ status: 'False', reason: 'NotLost' } as const)),
      message: listing ? answering : text,
    },
  ];
}

interface ConditionFacts {
  readonly listing: Look['situation']['listing'];
  readonly formed: boolean;
  readonly isDone: boolean;
  readonly phase: string;
  readonly text: string;
  readonly well: number;
  readonly voters: number;
}

function recoveryFields(recovery: Recovery | undefined) {
  if (!recovery) return {};
  const { position, since, ...rest } = recovery;
  const mayBeLost =
    `What was written after revision ${position.revision}, if it was: ${recovery.survivor} did not have it, or did not know that it ` +
    'was agreed upon. How much that is can not be known.';
  return {
    recovery: {
      ...rest,
      ...position,
      lost: [...rest.lost],
      leftBehind: [...rest.leftBehind],
      startedAt: new Date(since).toISOString(),
      mayBeLost,
    },
  };
}

const LONGEST_STEP = 1000;
const NO_QUORUM = { status: 'False', reason: 'NoQuorum' } as const;
const NOT_YET = { status: 'Unknown', reason: 'Creating' } as const;

/** What all that answered run; undefined while they differ. */
function commonVersion({ answers }: Look): string | undefined {
  const versions = new Set([...answers.values()].map(({ version }) => version));
  const [version] = versions;
  return versions.size === 1 ? version : undefined;
}

function membersOf({ situation, answers }: Look, step: Step, leader: string | undefined) {
  return membersAfter(situation.members, step).map(
    ({ name, state, reason, unhealthySince, unconfirmed, keepVolume }) => {
      const answer = answers.get(name);
      return {
        name,
        state,
        healthy: situation.healthy.has(name),
        ...(reason ? { reason } : {}),
        ...(unconfirmed ? { unconfirmed } : {}),
        ...(keepVolume ? { keepVolume } : {}),
        ...(unhealthySince === undefined ? {} : { unhealthySince: new Date(unhealthySince).toISOString() }),
        ...(answer ? { id: answer.memberId, version: answer.version, dbSize: wholeMebibytes(answer.dbSize) } : {}),
        ...(name === leader ? { leader: true } : {}),
      };
    },
  );
}

/** So that a database that grows by a page is no news. */
const wholeMebibytes = (bytes: number) => Math.ceil(bytes / 1_048_576) * 1_048_576;

function membersAfter(members: Look['situation']['members'], step: Step): Look['situation']['members'] {
  if (step.do === 'forget') return members.filter(({ name }) => name !== step.name);
  if (step.do === 'recover') return membersAfterRecovery(members, step.recovery);
  if (step.do !== 'plan') return members;
  const { member } = step;
  const index = members.findIndex(({ name }) => name === member.name);
  return index < 0 ? [...members, member] : members.with(index, member);
}

interface Facts {
  readonly paused: boolean;
  readonly formed: boolean;
  readonly isDone: boolean;
  readonly hasQuorum: boolean;
  readonly well: number;
  readonly voters: number;
  readonly step: Step;
}

function phaseOf({ paused, formed, isDone, hasQuorum, well, voters, step }: Facts) {
  if (paused) return 'Paused';
  if (!formed) return 'Creating';
  if (!hasQuorum) return 'QuorumLost';
  if (isDone) return 'Running';
  return well < voters || (step.do === 'wait' && step.concern) ? 'Degraded' : 'Changing';
}
