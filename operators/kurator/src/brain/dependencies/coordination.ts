/** Dependants are told of a fault, of a repair of it, and of its end, each once; those that answer are waited for. */
import { causeInWords, type Diagnosis } from '../diagnosis/cause.ts';
import { type Incident, type Notice, noticesOfRound } from '../incident/incident.ts';
import type { Answer, Observation } from '../observation.ts';
import type { ServiceSpec } from '../spec.ts';
import type { Millis } from '../time.ts';

/** Who sends a notice, about what, and when. */
interface Sender {
  readonly spec: Pick<ServiceSpec, 'name'>;
  readonly incident: Incident;
  readonly now: Millis;
}

/** And whom to. */
interface SenderToDependants extends Sender {
  readonly seen: Pick<Observation, 'dependants'>;
}

/** A notice for every dependant, whatever comes of the fault; none if this round's were sent. */
export function noticesOfFault(
  situation: SenderToDependants & { readonly diagnosis: Diagnosis | undefined },
): Notice[] {
  const { spec, seen, incident, diagnosis } = situation;
  if (noticesOfRound(incident, 'confirmed').length > 0) return [];
  const cause = diagnosis ?? incident.diagnosis;
  const reason = `${spec.name} fails: ${causeInWords[cause?.cause ?? 'unknown']}`;
  return seen.dependants.map(({ name }) => notice(situation, name, 'confirmed', false, reason));
}

/** A notice for every dependant, before the first repair of this round, and what that is. */
export function noticesBefore(situation: SenderToDependants, repair: string): Notice[] {
  const { spec, seen } = situation;
  const reason = `${spec.name} fails and is about to be repaired (${repair})`;
  return seen.dependants.map(({ name, answers }) => notice(situation, name, 'before', answers, reason));
}

/** A notice for everyone who was told of it: it is over. */
export function noticesAfter(situation: Sender, reason = `${situation.spec.name} is well again`): Notice[] {
  const { incident } = situation;
  if (noticesOfRound(incident, 'after').length > 0) return [];
  const told = [...noticesOfRound(incident, 'confirmed'), ...noticesOfRound(incident, 'before')];
  return [...new Set(told.map(({ to }) => to))].map((to) => notice(situation, to, 'after', false, reason));
}

function notice(
  { incident, now }: Sender,
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
