/** Everything that a decision is made from, and the shape of the decision. */
import type { ClusterView } from '../cluster/survey.ts';
import type { Diagnosis } from '../diagnosis/cause.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { History } from '../incident/history.ts';
import { engagedSince, type Hold, type Incident } from '../incident/incident.ts';
import type { Stage } from '../incident/stage.ts';
import type { ForeignWrite, Observation } from '../observation.ts';
import type { ServiceSpec } from '../spec.ts';
import type { Millis } from '../time.ts';

/** What a decision is made from. */
export interface Situation {
  readonly spec: ServiceSpec;
  readonly seen: Observation;
  readonly evidence: Evidence;
  /** Missing when nothing is confirmed. */
  readonly diagnosis: Diagnosis | undefined;
  readonly history: History;
  readonly incident: Incident;
  readonly cluster: ClusterView;
  readonly now: Millis;
}

/** What is to become of the incident. */
export interface Move {
  /** The next stage, `close`, or nothing: it stays where it is. */
  readonly to?: Stage | 'close';
  /** A sentence for people: why this, and why now. */
  readonly reason: string;
  /** When to think again if nothing happens until then. */
  readonly until?: Millis;
  /** It would go on, and is not allowed to. */
  readonly isHeld?: boolean;
  /** What changes in the incident besides its stage. */
  readonly incident?: Incident;
  /** What changes in the history besides the incident. */
  readonly history?: Pick<History, 'repairs' | 'revisions'>;
}

/** Whether all is well, and known to be. */
export function isWell({ evidence, seen }: Situation): boolean {
  return evidence.condition === 'up' && seen.workload.rollout !== 'progressing';
}

/** Somebody else's change of the workload since we have been at work, that was not yielded to yet. */
export function newerWrite({ seen, incident }: Situation): ForeignWrite | undefined {
  const write = seen.workload.foreignWrite;
  if (!write || write.what === 'replicas') return undefined;
  return write.at > engagedSince(incident) && write.at > yieldedTo(incident) ? write : undefined;
}

/** Whether somebody else has chosen the present revision while we were at work: then it is not ours to undo. */
export function hasYielded({ incident }: Situation): boolean {
  return yieldedTo(incident) > engagedSince(incident);
}

function yieldedTo({ yieldedTo }: Incident): Millis {
  return yieldedTo ?? Number.NEGATIVE_INFINITY;
}

/** The incident, held up; the time counts from when it was first held up by anything that it would be handed over for. */
export function held({ incident, now }: Situation, hold: Pick<Hold, 'by' | 'reason'>, isPatient: boolean): Incident {
  const before = incident.hold;
  if (before?.by === hold.by && before.reason === hold.reason) return incident;
  const isSameWait = before?.by === hold.by || (isPatient && before && !quietHolds.has(before.by));
  // Each try that is refused begins the wait anew, and is the same wait all the same.
  const refusedSince = hold.by === 'disruption' ? incident.refusal?.since : undefined;
  const since = refusedSince ?? (isSameWait ? before.since : now);
  return { ...incident, hold: { ...before, ...hold, since, heldSince: before?.heldSince ?? since } };
}

/**
 * It is not handed over for being held up by these: a person wants it so, or it passes by itself, and then it goes on. If
 * it lasts, a person is called all the same.
 */
export const quietHolds: ReadonlySet<Hold['by']> = new Set<Hold['by']>([
  'switch',
  'pause',
  'maintenance',
  'yield',
  'workload',
  'coolDown',
  'cluster',
]);

/** Neither well nor ill for all that is known: since when, and how long that is only looked at. */
interface Suspense {
  readonly since: Millis;
  readonly until: Millis;
  readonly isOver: boolean;
  /** The incident that remembers it; missing where it does. */
  readonly incident?: Incident;
}

/** What can neither be confirmed nor dismissed is waited for no longer than a hold is, or than a person's own grace. */
export function suspense({ incident, spec, evidence, now }: Situation): Suspense {
  const { quietSince: _, ...restless } = incident;
  const { patience, nodeGrace } = spec.recovery;
  const since = incident.restlessSince ?? now;
  const until = since + Math.max(patience, nodeGrace, spec.startupGrace);
  const isNoted = incident.restlessSince !== undefined && incident.quietSince === undefined;
  return {
    since,
    until,
    // Whoever sees nothing at all has no more doubts about this than about anything else.
    isOver: now >= until && evidence.blind === undefined,
    ...(!isNoted && { incident: { ...restless, restlessSince: since } }),
  };
}

/** The incident without what was only of its last stage. */
export function cleared(incident: Incident): Incident {
  const { hold: _hold, proposal: _proposal, quietSince: _quietSince, restlessSince: _restless, ...rest } = incident;
  return rest;
}

/** And without what refused it: the wait for that is over. */
export function unrefused(incident: Incident): Incident {
  const { refusal: _, ...rest } = cleared(incident);
  return rest;
}
