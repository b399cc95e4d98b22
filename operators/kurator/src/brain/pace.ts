/** What the pace of one check follows from, read from everything that is known about its service. */
import type { Evidence } from './evidence/evidence.ts';
import type { History } from './incident/history.ts';
import { underRepair } from './incident/stage.ts';
import { type Observation, theService } from './observation.ts';
import type { PaceState } from './perception/next-check.ts';
import { hintsAtLoss } from './perception/packet-loss.ts';
import type { Perception, TargetPerception } from './perception/perception.ts';
import type { CheckSpec, ServiceSpec } from './spec.ts';
import type { Millis } from './time.ts';

/** Where a check stands. */
export interface CheckSituation {
  readonly spec: ServiceSpec;
  readonly check: CheckSpec;
  /** The instance's uid, or the Service. */
  readonly target: string;
  readonly seen: Observation;
  readonly perception: Perception;
  readonly history: History;
  readonly evidence: Evidence | undefined;
  /** Since when this operator has known the target. */
  readonly knownSince: Millis;
  /** When its last run began. */
  readonly lastAt?: Millis;
  /** When something last happened that makes a look worthwhile. */
  readonly eventAt?: Millis;
}

/** Slow answers in a row that are worth a closer look. */
const hintsAtSlowness = 2;

/** Reads the state that `nextCheck` wants. */
export function paceOf(situation: CheckSituation): PaceState {
  const { spec, check, target, seen, history, evidence, knownSince, lastAt, eventAt } = situation;
  const { incident } = history;
  const instance = target === theService ? undefined : seen.instances.find(({ uid }) => uid === target);
  const isOpen = incident !== undefined && incident.stage !== 'recovered';
  // What may last for days is looked at as often as was asked for.
  const isWithPerson = incident?.stage === 'handedOver' || incident?.stage === 'quarantined';
  const calmSince = incident ? undefined : (history.closed.at(-1)?.closedAt ?? history.since);
  const isStarting = evidence?.instances.some(({ uid, health }) => uid === target && health === 'starting');
  return {
    key: `${spec.name}/${target}/${check.name}`,
    knownSince,
    suspect: !isWithPerson && (isOpen || isSuspect(situation)),
    repairing: incident !== undefined && underRepair.has(incident.stage),
    deploying: seen.workload.rollout === 'progressing' && instance?.revision === seen.workload.revision,
    ...(lastAt !== undefined && { lastAt }),
    ...(eventAt !== undefined && { eventAt }),
    ...(calmSince !== undefined && { calmSince }),
    ...(isStarting && instance && { graceUntil: instance.createdAt + spec.startupGrace }),
  };
}

/** Its last results hint at something. */
function isSuspect({ target, check, perception }: CheckSituation): boolean {
  const perceived = perception.targets[target];
  if (perceived && (hasHint(perceived.paths) || (perceived.checks[check.name]?.failures ?? 0) > 0)) return true;
  return target !== theService && isAnyoneSlow(perception, check.name);
}

/** One that may be slow is compared with the others: all of them are asked more often. */
function isAnyoneSlow({ targets }: Perception, check: string): boolean {
  for (const uid in targets) if ((targets[uid]?.checks[check]?.tempo.slow ?? 0) >= hintsAtSlowness) return true;
  return false;
}

function hasHint(paths: TargetPerception['paths']): boolean {
  for (const from in paths) if (paths[from] && hintsAtLoss(paths[from])) return true;
  return false;
}
