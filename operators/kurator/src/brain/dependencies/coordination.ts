/** Dependants are told before a repair and after it, each time once; those that answer are waited for. */
import { type Notice, noticesOfRound } from '../incident/incident.ts';
import type { Answer } from '../observation.ts';
import type { Situation } from '../recovery/situation.ts';
import type { Step } from '../spec.ts';

/** A notice for every dependant, before the first repair of this round. */
export function noticesBefore(situation: Situation, step: Step): Notice[] {
  const { spec, seen } = situation;
  const reason = `${spec.name} fails and is about to be repaired (${step})`;
  return seen.dependants.map(({ name, answers }) => notice(situation, name, 'before', answers, reason));
}

/** A notice for everyone who was told before: it is over. */
export function noticesAfter(situation: Situation): Notice[] {
  const { incident, spec } = situation;
  if (noticesOfRound(incident, 'after').length > 0) return [];
  const told = noticesOfRound(incident, 'before');
  return told.map(({ to }) => notice(situation, to, 'after', false, `${spec.name} is well again`));
}

function notice(
  { incident, now }: Situation,
  to: string,
  phase: Notice['phase'],
  awaited: boolean,
  reason: string,
): Notice {
  return { id: `${incident.id}/${incident.relapses}/${phase}/${to}`, to, phase, at: now, awaited, reason };
}

/** Who of those that were asked has refused, and who has not answered. */
export function answersTo(
  notices: readonly Notice[],
  answers: readonly Answer[],
): { refused: string[]; silent: string[] } {
  const given = new Map(answers.map(({ notice, answer }) => [notice, answer]));
  const asked = notices.filter(({ awaited }) => awaited);
  return {
    refused: asked.filter(({ id }) => given.get(id) === 'refused').map(({ to }) => to),
    silent: asked.filter(({ id }) => !given.has(id)).map(({ to }) => to),
  };
}
