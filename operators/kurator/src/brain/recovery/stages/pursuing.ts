/**
 * What to do about a confirmed fault, before anything is done: the same considerations in the same order, however often
 * it is asked, until one of them decides. `confirmed`, `proposed` and `tellingDependants` are places to wait on this way.
 */
import { answersTo, noticesBefore } from '../../dependencies/coordination.ts';
import { causeInWords, type Diagnosis } from '../../diagnosis/cause.ts';
import { noticesOfRound } from '../../incident/incident.ts';
import { onlyTells, type Step } from '../../spec.ts';
import { inWords, second } from '../../time.ts';
import { begun, rollInWords, spent } from '../attempt.ts';
import { type Refusal, refusal } from '../gates.ts';
import { isDisruptive, nextStep } from '../ladder.ts';
import { cleared, held, isWell, type Move, newerWrite, quietHolds, type Situation } from '../situation.ts';
import { isRolled, takenFirst } from '../targets.ts';
import { handOver, recover, yieldTo } from './endings.ts';

/** What passes by itself, or at a person's word, is looked at again after this. */
const lookAgainAfter = 5 * second;

/** Pursues a fault. */
export function pursue(situation: Situation): Move {
  const { diagnosis } = situation;
  if (isWell(situation)) return recover(situation, 'it is well again without a repair');
  const write = newerWrite(situation);
  if (write) return yieldTo(situation, write);
  if (!diagnosis) return hold(situation, { by: 'doubt', reason: 'nothing is confirmed at the moment' });
  if (diagnosis.cause === 'dependency') {
    const incident = cleared(situation.incident);
    return { to: 'waitingForDependency', reason: diagnosis.reasons[0] ?? causeInWords.dependency, incident };
  }
  const step = nextStep(situation, diagnosis);
  if (!step) return handOver(situation, `nothing is left to try: ${causeInWords[diagnosis.cause]}`);
  return (
    propose(situation, step) ?? gated(situation, step) ?? tell(situation, step) ?? start(situation, step, diagnosis)
  );
}

function propose(situation: Situation, step: Step): Move | undefined {
  const { spec, incident, seen, diagnosis, now } = situation;
  // What would not be done is not proposed either.
  if (diagnosis?.confidence === 'possible' || spec.mode === 'Off') return undefined;
  const telling = onlyTells(spec);
  const mustAsk = spec.recovery.steps[step].approval;
  if (!isDisruptive(step) || !(telling || mustAsk)) return undefined;
  // What was approved and refused by a PodDisruptionBudget is not asked for again.
  const tried = incident.attempts.filter(({ result }) => result !== 'refused').length;
  const id = `${incident.id}/${tried + 1}/${step}`;
  if (!telling && seen.orders.approved.includes(id)) return undefined;
  const reason = `would ${step} ${names(situation, step)}now; ${telling ?? 'on-call must agree first'}`;
  const asked = incident.proposal;
  if (asked?.id !== id) {
    const at = asked?.at ?? now;
    return { to: 'proposed', reason, incident: { ...cleared(incident), proposal: { id, step, reason, at } } };
  }
  const until = asked.at + spec.recovery.approvalDeadline;
  if (telling || now < until) return { reason, ...(!telling && { until }) };
  return handOver(situation, `nobody approved ${step} within ${inWords(spec.recovery.approvalDeadline)}`);
}

function names(situation: Situation, step: Step): string {
  if (isRolled(situation, step)) return `${rollInWords(situation)} `;
  const targets = takenFirst(situation, step);
  return targets.length === 0 ? '' : `${targets.map(({ name }) => name).join(', ')} `;
}

function gated(situation: Situation, step: Step): Move | undefined {
  const refused = refusal(situation, { step, targets: takenFirst(situation, step), isFirst: true });
  return refused && hold(situation, refused);
}

/** Stays where it is, until a person is called if it takes too long. */
export function hold(situation: Situation, { by, reason, until: freeAt }: Refusal): Move {
  const { incident, now, spec } = situation;
  const isPatient = !quietHolds.has(by);
  const waiting = held(situation, { by, reason }, isPatient);
  const until = (waiting.hold?.since ?? now) + spec.recovery.patience;
  if (isPatient && now >= until) return handOver(situation, `held up for too long: ${reason}`);
  const again = isPatient ? until : now + lookAgainAfter;
  return {
    reason,
    isHeld: true,
    until: Math.min(again, freeAt ?? again),
    ...(waiting !== incident && { incident: waiting }),
  };
}

function tell(situation: Situation, step: Step): Move | undefined {
  const { incident, seen, spec, now } = situation;
  if (!isDisruptive(step) || seen.dependants.length === 0) return undefined;
  const told = noticesOfRound(incident, 'before');
  if (told.length === 0) {
    const how = isRolled(situation, step) ? ' by a rolling update' : '';
    const notices = noticesBefore(situation, `${step}${how}`);
    const reason = `tells ${notices.map(({ to }) => to).join(', ')} before it begins`;
    return { to: 'tellingDependants', reason, incident: { ...incident, notices: [...incident.notices, ...notices] } };
  }
  // Who depends on it no more, or has lost the consent or the hook, has no say in it any more, whatever was said.
  const hasSay = new Set(seen.dependants.filter(({ answers }) => answers).map(({ name }) => name));
  const { refused, silent } = answersTo(
    told.filter(({ to }) => hasSay.has(to)),
    seen.answers,
  );
  const { onRefusal, onSilence, deadline } = spec.coordination;
  const whoRefused = refused.join(', ');
  if (whoRefused && onRefusal === 'handOver') return handOver(situation, `${whoRefused} refused the repair`);
  const until = (told[0]?.at ?? now) + deadline;
  if (silent.length === 0) return undefined;
  if (now < until) return { reason: `waits for ${silent.join(', ')}`, until };
  return onSilence === 'handOver' ? handOver(situation, `${silent.join(', ')} did not answer in time`) : undefined;
}

function start(situation: Situation, step: Step, { cause }: Diagnosis): Move {
  const incident = begun(situation, step);
  const action = incident.attempts.at(-1)?.actions[0];
  const reason = action?.reason ?? `lets Kubernetes do it first: ${causeInWords[cause]}`;
  return { to: 'repairing', reason, incident, history: spent(situation, step) };
}
