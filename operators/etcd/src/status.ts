/** What people are told of a cluster, and what the next pass goes on from. */
import type { ConditionClaim, StatusFields } from '@kurator/sdk';
import { maintenanceAfter, membersAfter, recoveryAfter } from './brain/record.ts';
import type { Maintenance, Recovery } from './brain/situation.ts';
import type { Step } from './brain/step.ts';
import { LABEL } from './children/names.ts';
import { conditionsOf } from './conditions.ts';
import type { Look } from './look.ts';
import type { EtcdCluster } from './resources.ts';
import { describe } from './telling.ts';

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
  const doing = step.do === 'wait' ? `waits: ${step.why}` : describe(step);
  const text = `${doing}${trouble ? `; ${trouble}` : ''}`.slice(0, LONGEST_STEP);
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
    ...maintenanceFields(maintenanceAfter(situation.maintenance, step)),
  } as const;
  return {
    status,
    conditions: conditionsOf(cluster, { listing, formed, isDone, phase, text, well, voters: voters.length }),
  };
}

function maintenanceFields(maintenance: Maintenance | undefined) {
  if (!maintenance) return {};
  const { since, finished, done, ...rest } = maintenance;
  const finishedAt = finished === undefined ? {} : { finishedAt: new Date(finished).toISOString() };
  return { maintenance: { ...rest, done: [...done], startedAt: new Date(since).toISOString(), ...finishedAt } };
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
        ...(answer
          ? {
              id: answer.memberId,
              version: answer.version,
              dbSize: wholeMebibytes(answer.dbSize),
              dbSizeInUse: wholeMebibytes(answer.dbSizeInUse),
            }
          : {}),
        ...(name === leader ? { leader: true } : {}),
      };
    },
  );
}

/** So that a database that grows by a page is no news. */
const wholeMebibytes = (bytes: number) => Math.ceil(bytes / 1_048_576) * 1_048_576;

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
