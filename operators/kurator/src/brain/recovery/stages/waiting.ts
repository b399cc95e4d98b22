/** The stages in which nothing is done but look: a suspicion, and a fault whose cause is elsewhere. */
import { causeInWords, type Diagnosis } from '../../diagnosis/cause.ts';
import { inWords, type Millis, minute } from '../../time.ts';
import { cleared, isWell, type Move, type Situation, suspense } from '../situation.ts';
import { handOver, recover } from './endings.ts';

/** A suspicion without new symptoms for so long was none. */
const dismissAfter = minute;

/** Something was seen: it becomes more, or nothing. */
export function suspected(situation: Situation): Move {
  const { diagnosis, evidence, incident, now } = situation;
  if (diagnosis) {
    const because = diagnosis.reasons[0] ?? 'for reasons unknown';
    return {
      to: 'confirmed',
      reason: `${causeInWords[diagnosis.cause]}: ${because}`,
      incident: { ...cleared(incident), confirmedAt: now },
    };
  }
  const reason = 'looks closer';
  if (evidence.symptoms.length > 0 || evidence.condition !== 'up') {
    const { since, until, isOver, incident: noted } = suspense(situation);
    return isOver ? doubted(situation, since) : { reason, until, ...(noted && { incident: noted }) };
  }
  const { quietSince } = incident;
  if (quietSince === undefined)
    return { reason, until: now + dismissAfter, incident: { ...cleared(incident), quietSince: now } };
  if (now < quietSince + dismissAfter) return { reason, until: quietSince + dismissAfter };
  return { to: 'dismissed', reason: `nothing more was seen for ${inWords(dismissAfter)}`, incident: cleared(incident) };
}

/** Nobody can tell, and that has lasted: it is told, and held as any doubt is, until a person is called. */
function doubted({ evidence, incident, now }: Situation, since: Millis): Move {
  const reason = `for ${inWords(now - since)} it could be seen neither to be well nor what ails it`;
  const reasons = [reason, ...evidence.symptoms.map(({ says }) => says)];
  const diagnosis: Diagnosis = { cause: 'unknown', confidence: 'possible', affected: [], reasons, extent: 'around' };
  return { to: 'confirmed', reason, incident: { ...cleared(incident), diagnosis, confirmedAt: now } };
}

/** The cause is elsewhere. Once that is over and this has had its time to follow, it is looked at afresh. */
export function waitingForDependency(situation: Situation): Move {
  const { diagnosis, incident, spec, now, seen } = situation;
  const isRestored = seen.dependencies.every(({ state }) => state === 'healthy');
  if (isWell(situation) && isRestored) return recover(situation, 'it recovered by itself');
  if (diagnosis && diagnosis.cause !== 'dependency') {
    return { to: 'confirmed', reason: 'what it depends on is well, and it still fails', incident: cleared(incident) };
  }
  const others = seen.dependencies.filter((one) => one.incident !== undefined && one.incident !== incident.id);
  // Where the cause has an incident of its own, that one may call first.
  const follows = others.length > 0 ? spec.coordination.recoverWithin : 0;
  const until = incident.stageSince + spec.recovery.patience + follows;
  // As long as somebody is at the cause, a person is called for that one and not for each of its dependants.
  const isElsewhere = others.some((one) => one.isAttended);
  if (now < until || isElsewhere) {
    const followed = seen.dependencies.map(({ recoveredAt = 0 }) => recoveredAt + spec.coordination.recoverWithin);
    const next = Math.min(...[...followed, until].filter((at) => at > now));
    return { reason: diagnosis?.reasons[0] ?? 'waits to see it well', ...(Number.isFinite(next) && { until: next }) };
  }
  return handOver(situation, 'what it depends on can not be seen to be well');
}
