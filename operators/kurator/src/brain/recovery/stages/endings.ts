/** The ways out of a repair: well again, a person's turn, somebody else's turn; and what follows each of them. */
import { noticesAfter } from '../../dependencies/coordination.ts';
import { givenBackReason, type Incident } from '../../incident/incident.ts';
import type { ForeignWrite } from '../../observation.ts';
import { inWords } from '../../time.ts';
import { ended } from '../attempt.ts';
import { nextStep } from '../ladder.ts';
import { cleared, isWell, type Move, type Situation, suspense, unrefused } from '../situation.ts';

/** All is well again. */
export function recover(situation: Situation, reason: string): Move {
  const { incident, now } = situation;
  const settled = ended(unrefused(incident), 'succeeded', now);
  const notices = [...incident.notices, ...noticesAfter(situation)];
  return { to: 'recovered', reason, incident: { ...settled, notices, recoveredAt: now } };
}

/** A person is needed. */
export function handOver(situation: Situation, reason: string): Move {
  const { incident, diagnosis, now } = situation;
  const settled = ended(unrefused(incident), 'abandoned', now);
  const cause = diagnosis?.cause ?? incident.diagnosis?.cause ?? 'unknown';
  // What is a dependency's fault stays that: nobody else's ladder is to be climbed for it later.
  const causes = cause === 'dependency' ? [] : [cause];
  return {
    to: 'handedOver',
    reason,
    incident: { ...settled, givenUp: [...new Set([...incident.givenUp, ...causes])] },
  };
}

/** Somebody else has changed the workload. */
export function yieldTo({ incident, now }: Situation, { by, at }: ForeignWrite): Move {
  const settled = ended(cleared(incident), 'abandoned', now);
  return { to: 'yielded', reason: `${by} has changed the workload`, incident: { ...settled, yieldedTo: at } };
}

/** In times of its patience, however often somebody else changes it. */
const longestYield = 4;

/** Hands off until somebody else's change has settled, and had its time. */
export function yielded(situation: Situation): Move {
  const { seen, incident, spec, now } = situation;
  if (isWell(situation)) return recover(situation, 'it is well again after the change');
  const { foreignWrite, rollout } = seen.workload;
  const newest = Math.max(incident.yieldedTo ?? now, foreignWrite?.what === 'replicas' ? 0 : (foreignWrite?.at ?? 0));
  const again = newest === incident.yieldedTo ? incident : { ...incident, yieldedTo: newest };
  const until = newest + spec.recovery.yieldFor;
  if (now >= until && rollout !== 'progressing') {
    return { to: 'confirmed', reason: 'it still fails after the change', incident: again };
  }
  // Whoever changes it again and again is not waited for without end: it may be no person.
  const tooLate = Math.min(
    Math.max(incident.stageSince, newest) + spec.recovery.patience,
    incident.stageSince + longestYield * spec.recovery.patience,
  );
  if (now >= tooLate) return handOver(situation, 'somebody else is at it, and it still fails');
  const next = now < until ? Math.min(tooLate, until) : tooLate;
  return { reason: 'leaves it to whoever changed the workload', until: next, incident: again };
}

/** Well again; but a fault that comes back soon is the same one. */
export function recovered(situation: Situation): Move {
  const { diagnosis, incident, spec, now, evidence } = situation;
  if (diagnosis) return relapsed(situation);
  const until = incident.stageSince + spec.recovery.stability;
  const isQuiet = evidence.condition === 'up' || evidence.desired === 0;
  if (now >= until && isQuiet) return { to: 'close', reason: `it stayed well for ${inWords(spec.recovery.stability)}` };
  const reason = 'watches whether it stays well';
  if (isQuiet) return { reason, until, ...(incident.restlessSince !== undefined && { incident: cleared(incident) }) };
  const doubt = suspense(situation);
  if (doubt.isOver) return relapsed(situation);
  return { reason, until: doubt.until, ...(doubt.incident && { incident: doubt.incident }) };
}

function relapsed(situation: Situation): Move {
  const { diagnosis, incident, spec, now } = situation;
  const { recoveredAt: _, ...rest } = cleared(incident);
  if (diagnosis?.cause === 'dependency') {
    return { to: 'waitingForDependency', reason: diagnosis.reasons[0] ?? 'its dependency fails again', incident: rest };
  }
  const again: Incident = { ...rest, relapses: incident.relapses + 1 };
  const after = inWords(now - incident.stageSince);
  const isOver = again.relapses > spec.recovery.relapses || (diagnosis && !nextStep(situation, diagnosis));
  const how = diagnosis ? 'it relapsed' : 'it can not be seen to be well any more';
  if (!isOver) return { to: 'confirmed', reason: `${how} after ${after}`, incident: again };
  return { to: 'quarantined', reason: `it relapsed for the ${again.relapses}. time after ${after}`, incident: again };
}

/** A person has it. Once it is well, or has another fault that something can be done about, or is given back, it goes on. */
export function handedOver(situation: Situation): Move {
  const { diagnosis, incident } = situation;
  if (isWell(situation)) return recover(situation, 'it is well again');
  const resumed = givenBack(situation);
  if (resumed) return resumed;
  const isSure = diagnosis && diagnosis.confidence !== 'possible' && !incident.givenUp.includes(diagnosis.cause);
  if (!isSure || !nextStep(situation, diagnosis)) return { reason: 'on-call has been called' };
  return { to: 'confirmed', reason: `another fault: ${diagnosis.reasons[0]}`, incident: cleared(incident) };
}

/** Nothing more is done until it has been well for long, or a person gives it back. */
export function quarantined(situation: Situation): Move {
  const { incident, spec, now } = situation;
  const resumed = givenBack(situation);
  if (resumed) return resumed;
  const reason = 'nothing more is done until it stays well';
  const { quietSince, ...restless } = incident;
  if (!isWell(situation)) return { reason, ...(quietSince !== undefined && { incident: restless }) };
  if (quietSince === undefined) return { reason, incident: { ...incident, quietSince: now } };
  const until = quietSince + spec.recovery.stability;
  return now < until ? { reason, until } : recover(situation, `it stayed well for ${inWords(spec.recovery.stability)}`);
}

function givenBack({ incident, seen }: Situation): Move | undefined {
  const wanted = `${incident.id}/${incident.resumed + 1}`;
  if (!seen.orders.resumed.includes(wanted)) return undefined;
  const afresh: Incident = {
    ...cleared(incident),
    countsFrom: incident.attempts.length,
    givenUp: [],
    relapses: 0,
    resumed: incident.resumed + 1,
  };
  return { to: 'confirmed', reason: givenBackReason, incident: afresh };
}
