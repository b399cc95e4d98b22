/** An incident as a story that a person can read: what was seen, why each step was taken, and what came of it. */
import { manners } from './alerts/policy.ts';
import { causeInWords } from './diagnosis/cause.ts';
import type { Action, Attempt, Incident } from './incident/incident.ts';
import { inWords, type Millis } from './time.ts';

/** One line of the story. */
export interface StoryLine {
  readonly at: Millis;
  readonly text: string;
}

/** What happened in an incident, from its record, in the order in which it did. */
export function timeline({ transitions, attempts, notices }: Incident): StoryLine[] {
  const changes = transitions.map(({ at, to, reason }) => ({ at, text: `${manners[to].title}: ${reason}` }));
  const deeds = attempts.flatMap(storyOf);
  const told = notices.map(({ at, to, phase }) => ({ at, text: `told ${to} ${phaseInWords[phase]}` }));
  return [...changes, ...deeds, ...told].sort((a, b) => a.at - b.at);
}

const phaseInWords = { confirmed: 'of the fault', before: 'before the repair', after: 'at the end' } as const;

/** Tells an incident from its record: why first, then what happened. */
export function explain(incident: Incident): StoryLine[] {
  const { diagnosis, startedAt } = incident;
  const why = diagnosis
    ? [{ at: startedAt, text: `cause: ${causeInWords[diagnosis.cause]} (${diagnosis.confidence})` }]
    : [];
  const because = diagnosis?.reasons.map((reason) => ({ at: startedAt, text: `because ${reason}` })) ?? [];
  return [...why, ...because, ...timeline(incident)];
}

function storyOf({ step, startedAt, actions, result, endedAt, approvedBy }: Attempt): StoryLine[] {
  const agreed = approvedBy === undefined ? [] : [{ at: startedAt, text: `${step} was approved by ${approvedBy}` }];
  const end =
    endedAt === undefined ? [] : [{ at: endedAt, text: `${step} ${result} after ${inWords(endedAt - startedAt)}` }];
  return [...agreed, ...actions.flatMap(deedOf), ...end];
}

function deedOf({ id, reason, intendedAt, outcome }: Action): StoryLine[] {
  const intended = { at: intendedAt, text: `decided ${id}: ${reason}` };
  if (!outcome) return [intended];
  const message = outcome.message ? ` (${outcome.message})` : '';
  return [intended, { at: outcome.at, text: `${id} ${outcome.result}${message}` }];
}
