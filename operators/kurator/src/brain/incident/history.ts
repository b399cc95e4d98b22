/** What the brain remembers of a service from one incident to the next. Plain JSON, kept in the API server. */
import type { Cause } from '../diagnosis/cause.ts';
import type { Revisions } from '../diagnosis/rule.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Observation } from '../observation.ts';
import type { RecoverySpec, ServiceSpec } from '../spec.ts';
import { type Millis, minute } from '../time.ts';
import type { Incident } from './incident.ts';

/** A closed incident, in short: what figures are made of. */
export interface ClosedIncident {
  readonly id: string;
  readonly startedAt: Millis;
  readonly confirmedAt?: Millis;
  readonly recoveredAt?: Millis;
  readonly closedAt: Millis;
  readonly cause?: Cause;
  readonly repairs: number;
  readonly downMs: Millis;
  readonly degradedMs: Millis;
  readonly end: 'recovered' | 'dismissed' | 'withdrawn';
}

/** What is remembered of one service. */
export interface History {
  /** Since when it has been watched. */
  readonly since: Millis;
  /** Incidents so far: names the next one. */
  readonly incidents: number;
  readonly incident?: Incident;
  /** The newest last, at most {@link closedKept}. */
  readonly closed: readonly ClosedIncident[];
  /** When repairs were begun, as far back as the budget looks. */
  readonly repairs: readonly Millis[];
  readonly revisions: Revisions;
  /** A revision that is well, but not yet for long. */
  readonly proving?: { readonly revision: string; readonly since: Millis };
  /** The checks that have passed, by name and as they were defined then. Missing where nobody has taken note of it yet. */
  readonly provenChecks?: Readonly<Record<string, string>>;
  /** Warnings that were given, by what they were about. */
  readonly warned: Readonly<Record<string, Millis>>;
}

/** Closed incidents that are remembered here; the Incident objects are kept by their own rules. */
const closedKept = 50;
const revisionsKept = 10;

/** Nothing has happened yet. */
export function freshHistory(now: Millis): History {
  return {
    since: now,
    incidents: 0,
    closed: [],
    repairs: [],
    revisions: { healthy: [], bad: [], left: [] },
    provenChecks: {},
    warned: {},
  };
}

/** Repairs begun within the budget's time. */
export function recentRepairs({ repairs }: Pick<History, 'repairs'>, per: Millis, now: Millis): readonly Millis[] {
  return repairs.filter((at) => now - at < per);
}

/** Moves a closed incident from the desk to the shelf. */
export function shelve(history: History, incident: Incident, now: Millis): History {
  const { incident: _, ...rest } = history;
  const { id, startedAt, confirmedAt, recoveredAt, diagnosis, attempts, impact, stage } = incident;
  const closed: ClosedIncident = {
    id,
    startedAt,
    closedAt: now,
    repairs: attempts.filter(({ step }) => step !== 'kubernetes').length,
    downMs: impact.downMs,
    degradedMs: impact.degradedMs,
    end: stage === 'dismissed' || stage === 'withdrawn' ? stage : 'recovered',
    ...(confirmedAt !== undefined && { confirmedAt }),
    ...(recoveredAt !== undefined && { recoveredAt }),
    ...(diagnosis && { cause: diagnosis.cause }),
  };
  return { ...rest, closed: [...history.closed, closed].slice(-closedKept) };
}

/** Learns which revisions are healthy: one that all instances run, that is well, and stays so for long enough. */
export function proveRevision(
  { recovery }: ServiceSpec,
  history: History,
  { workload }: Observation,
  evidence: Evidence,
  now: Millis,
): History {
  const { revision } = workload;
  const { healthy } = history.revisions;
  if (healthy.at(-1) === revision && !history.proving) return history;
  const isWell =
    evidence.condition === 'up' &&
    evidence.counts.healthy > 0 &&
    workload.rollout === 'settled' &&
    !history.incident &&
    evidence.instances.every((instance) => instance.revision === revision);
  return isWell ? prove(recovery, history, revision, now) : interrupted(history, now);
}

/** A revision that all instances were well with for so long does work: what fails later need not be its fault. */
const worksAfter = minute;

/** It is well no more. That it was counts, if it was for a while. */
function interrupted(history: History, now: Millis): History {
  const { proving, revisions } = history;
  const { wellAtFirst = [] } = revisions;
  if (!proving || now - proving.since < worksAfter || wellAtFirst.includes(proving.revision)) return unproven(history);
  const known = [...wellAtFirst, proving.revision].slice(-revisionsKept);
  return { ...unproven(history), revisions: { ...revisions, wellAtFirst: known } };
}

function prove({ provenAfter }: RecoverySpec, history: History, revision: string, now: Millis): History {
  const { proving } = history;
  if (proving?.revision !== revision) return { ...history, proving: { revision, since: now } };
  if (now - proving.since < provenAfter) return history;
  const { healthy } = history.revisions;
  const others = healthy.filter((one) => one !== revision);
  const revisions = { ...history.revisions, healthy: [...others, revision].slice(-revisionsKept) };
  return { ...unproven(history), revisions };
}

function unproven(history: History): History {
  if (!history.proving) return history;
  const { proving: _, ...rest } = history;
  return rest;
}

/** Marks a revision as bad and left, so that it is never gone back to. */
export function condemn(revisions: Revisions, revision: string): Revisions {
  return {
    ...revisions,
    healthy: revisions.healthy.filter((one) => one !== revision),
    bad: [...new Set([...revisions.bad, revision])],
    left: [...new Set([...revisions.left, revision])],
  };
}
