/** How an incident's record is kept: opened, moved from stage to stage, and told how actions ended. */
import type { Diagnosis } from '../diagnosis/cause.ts';
import type { Condition, Evidence } from '../evidence/evidence.ts';
import type { Observation } from '../observation.ts';
import type { ServiceSpec } from '../spec.ts';
import type { Millis } from '../time.ts';
import type { History } from './history.ts';
import { type ActionOutcome, type Attempt, type Incident, openAttempt } from './incident.ts';
import type { Stage } from './stage.ts';

/** Opens an incident for what was seen. */
export function open({ name }: ServiceSpec, history: History, evidence: Evidence, now: Millis): History {
  const number = history.incidents + 1;
  const startedAt = Math.min(now, ...evidence.symptoms.map(({ since }) => since));
  const blank: Omit<Incident, 'stage' | 'stageSince' | 'transitions'> = {
    id: `${name}#${number}`,
    startedAt,
    attempts: [],
    countsFrom: 0,
    relapses: 0,
    notices: [],
    givenUp: [],
    resumed: 0,
    impact: { condition: evidence.condition, since: startedAt, downMs: 0, degradedMs: 0 },
    reported: 0,
    notifiedAt: [],
    paged: false,
  };
  const reason = evidence.symptoms[0]?.says ?? 'something was seen';
  const first = { seq: 1, at: now, to: 'suspected' as const, reason, condition: evidence.condition };
  return {
    ...history,
    incidents: number,
    incident: { ...blank, stage: 'suspected', stageSince: now, transitions: [first] },
  };
}

/** The incident in another stage, with the change on record. */
export function enter(incident: Incident, to: Stage, reason: string, condition: Condition, now: Millis): Incident {
  const { stage: from, transitions } = incident;
  const transition = { seq: transitions.length + 1, at: now, from, to, reason, condition };
  return { ...incident, stage: to, stageSince: now, transitions: [...transitions, transition] };
}

/** The incident with its impact brought up to date; the same one unless the condition has changed. */
export function impactOf(incident: Incident, { condition }: Pick<Evidence, 'condition'>, now: Millis): Incident {
  const { impact } = incident;
  if (impact.condition === condition) return incident;
  const length = Math.max(0, now - impact.since);
  return {
    ...incident,
    impact: {
      condition,
      since: now,
      downMs: impact.downMs + (impact.condition === 'down' ? length : 0),
      degradedMs: impact.degradedMs + (impact.condition === 'degraded' ? length : 0),
    },
  };
}

/** The incident with what is now thought of it; the same one unless that has changed, or is only a guess. */
export function noted(incident: Incident, diagnosis: Diagnosis | undefined, { dependencies }: Observation): Incident {
  const before = incident.diagnosis;
  if (!diagnosis || (before?.cause === diagnosis.cause && isSame(before.affected, diagnosis.affected))) return incident;
  // What people were told is not taken back for less.
  if (diagnosis.confidence === 'possible' && before && before.confidence !== 'possible') return incident;
  const { root: _, ...own } = incident;
  const roots = diagnosis.cause === 'dependency' ? dependencies.map((one) => one.incident) : [];
  const root = roots.find((one) => one !== undefined && one !== incident.id);
  return { ...own, diagnosis, ...(root !== undefined && { root }) };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** The history with how actions have ended. Outcomes of what is not open are too late to matter. */
export function settle(history: History, outcomes: readonly ActionOutcome[]): History {
  const { incident } = history;
  const attempt = incident && openAttempt(incident);
  if (!incident || !attempt || outcomes.length === 0) return history;
  const ended = outcomes.reduce(withOutcome, attempt);
  if (ended === attempt) return history;
  return { ...history, incident: { ...incident, attempts: incident.attempts.with(-1, ended) } };
}

function withOutcome(attempt: Attempt, { action: id, ...outcome }: ActionOutcome): Attempt {
  const index = attempt.actions.findIndex((action) => action.id === id && !action.outcome);
  const action = attempt.actions[index];
  return action ? { ...attempt, actions: attempt.actions.with(index, { ...action, outcome }) } : attempt;
}
