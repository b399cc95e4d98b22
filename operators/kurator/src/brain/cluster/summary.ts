/** One service in short: what the cluster, its dependants and its dependencies have to know about it. */
import type { Evidence } from '../evidence/evidence.ts';
import type { History } from '../incident/history.ts';
import { type Attempt, engagedSince, type Incident, openAttempt } from '../incident/incident.ts';
import { atEase, underRepair, withPerson } from '../incident/stage.ts';
import type { DependencyObservation } from '../observation.ts';
import { type Millis, minute } from '../time.ts';

/** What others have to know about a service. */
export interface ServiceSummary {
  readonly name: string;
  /** Since when it is known to fail, for a reason of its own; missing when it does not. */
  readonly failingSince?: Millis;
  /**
   * Until when it counts as under repair; missing when it is not. No longer than its repair may take, whether or not
   * anybody is there to end it, nor long after anything was done: what stands still must not be in everybody's way.
   */
  readonly underRepairUntil?: Millis;
  /** When it was last seen to wait for its turn in what is there for all; missing when it does not. */
  readonly waitedAt?: Millis;
  /** When its repairs were begun. */
  readonly repairs: readonly Millis[];
  /** How it looks to those that depend on it. */
  readonly asDependency: DependencyObservation;
}

/** However little happens, a service is thought about once in this time: its repair is ended so long after its deadline. */
const endsWithin = minute;
/** So long an action may take to show. A step may be given more time, but none in which the others wait for it. */
const longestHold = 15 * minute;

/** Sums a service up, from its history and from what was last seen of it. */
export function summarise(name: string, history: History, evidence: Evidence | undefined): ServiceSummary {
  const { incident, repairs } = history;
  const isFailing = incident && !atEase.has(incident.stage) && incident.stage !== 'waitingForDependency';
  const attempt = incident && openAttempt(incident);
  return {
    name,
    ...(isFailing && { failingSince: engagedSince(incident) }),
    ...(attempt && attempt.step !== 'kubernetes' && { underRepairUntil: holdsUntil(attempt) + endsWithin }),
    ...(evidence && incident?.hold?.by === 'cluster' && { waitedAt: evidence.at }),
    repairs,
    asDependency: asDependency(name, history, evidence),
  };
}

/** What was refused was not done. */
function holdsUntil({ startedAt, deadline, actions }: Attempt): Millis {
  const last = actions.findLast(({ outcome }) => outcome?.result !== 'refused');
  return Math.min(deadline, (last?.intendedAt ?? startedAt) + longestHold);
}

function asDependency(name: string, { incident, closed }: History, evidence?: Evidence): DependencyObservation {
  const recoveredAt = incident?.recoveredAt ?? closed.at(-1)?.recoveredAt;
  // A suspicion is enough: nobody is to be repaired for what may be this one's fault.
  const isInTrouble = incident !== undefined && incident.stage !== 'recovered' && incident.stage !== 'dismissed';
  const isSuspect = (evidence?.symptoms.length ?? 0) > 0;
  const isSeenWell = evidence?.condition === 'up';
  const root = incident && (incident.root ?? incident.id);
  return {
    name,
    state: isInTrouble || isSuspect ? 'impaired' : isSeenWell ? 'healthy' : 'unknown',
    ...(evidence?.healthyAsOf !== undefined && { healthyAsOf: evidence.healthyAsOf }),
    ...(recoveredAt !== undefined && { recoveredAt }),
    ...(root !== undefined && isInTrouble && { incident: root }),
    ...(isInTrouble && isAttended(incident) && { isAttended: true }),
  };
}

/**
 * Whether whoever waits for it need not call a person as well. Not for a suspicion, a dry run, or a check that may be wrong
 * itself: all of these may last, and nobody hurries for them.
 */
function isAttended(incident: Incident): boolean {
  const { stage, paged, hold, standstillToldAt, diagnosis } = incident;
  if (diagnosis?.cause === 'unproven-check') return false;
  // One that waits itself has a deadline of its own.
  if (underRepair.has(stage) || withPerson.has(stage) || stage === 'waitingForDependency') return true;
  return paged || standstillToldAt !== undefined || hold?.told === true || hold?.by === 'maintenance';
}
