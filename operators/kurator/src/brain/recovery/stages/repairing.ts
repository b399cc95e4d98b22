/** A step is being taken, and then judged by its effect. Every one of them ends by its deadline. */
import { causeInWords } from '../../diagnosis/cause.ts';
import type { InstanceEvidence } from '../../evidence/evidence.ts';
import { condemn } from '../../incident/history.ts';
import { type Action, type Attempt, type Incident, isRolling, openAttempt } from '../../incident/incident.ts';
import { onlyTells, type Step } from '../../spec.ts';
import { inWords, within } from '../../time.ts';
import { ended, wentOn, wentOnByItself } from '../attempt.ts';
import { refusal } from '../gates.ts';
import { isDisruptive, ladders } from '../ladder.ts';
import { isWell, type Move, newerWrite, type Situation, unrefused } from '../situation.ts';
import { isHeldUp, remainingOf, wave } from '../targets.ts';
import { recover, yieldTo } from './endings.ts';
import { hold } from './pursuing.ts';

/** Waits for the hands to say how the action went. */
export function repairing(situation: Situation): Move {
  const { incident, spec, now, seen } = situation;
  const attempt = openAttempt(incident);
  if (!attempt) return { to: 'confirmed', reason: 'no step is being taken' };
  const write = newerWrite(situation);
  if (write) return yieldTo(situation, write);
  const action = attempt.actions.at(-1);
  if (!action) return { to: 'verifying', reason: 'waits for Kubernetes' };
  const { outcome } = action;
  if (outcome?.result === 'refused') return refused(situation, attempt, outcome.message ?? 'it was refused');
  if (outcome?.result === 'done') return done(situation, action, outcome);
  if (outcome)
    return failed(situation, outcome.message ?? `the action was ${outcome.result}`, outcome.result === 'failed');
  if (spec.pause || spec.mode === 'Off' || onlyTells(spec) || within(spec.maintenance, now))
    return failed(situation, 'somebody wants nothing to be done now', false);
  if (seen.workload.paused) return failed(situation, 'somebody has paused the workload', false);
  if (now < attempt.deadline) return { reason: action.reason, until: attempt.deadline };
  return failed(situation, 'it could not be carried out in time');
}

/** What was decided is done, or as much of it as was allowed. */
function done(
  situation: Situation,
  { kind, reason, expect }: Action,
  { spared, message = '' }: NonNullable<Action['outcome']>,
): Move {
  const { incident, history } = situation;
  // Only now it has been left: should somebody bring it back after this, it is theirs.
  const left = kind === 'rollback' && condemn(history.revisions, expect.revision);
  return {
    to: 'verifying',
    reason: spared ? `done, but for what was refused (${message}): ${reason}` : `done: ${reason}`,
    incident: spared ? withRefusal(situation, message) : unrefused(incident),
    ...(left && { history: { repairs: history.repairs, revisions: left } }),
  };
}

/** Nothing was done: it is no try, and costs nothing. It is tried again later; what lasts is a person's. */
function refused(situation: Situation, attempt: Attempt, message: string): Move {
  const { history, now } = situation;
  const incident = withRefusal(situation, message);
  const reason = `refused: ${message}`;
  // A wave before this one was not: the attempt goes on, until its time is over.
  if (attempt.actions.some(({ outcome }) => outcome?.result === 'done')) return { to: 'verifying', reason, incident };
  const repairs = history.repairs.filter((at) => at !== attempt.startedAt);
  return {
    to: 'confirmed',
    reason,
    incident: ended(incident, 'refused', now),
    history: { repairs, revisions: history.revisions },
  };
}

function withRefusal({ incident, now }: Situation, reason: string): Incident {
  const { since = now, times = 0 } = incident.refusal ?? {};
  return { ...incident, refusal: { reason, since, at: now, times: times + 1 } };
}

/** Judges a step by its effect: the next wave, well again, or not. */
export function verifying(situation: Situation): Move {
  const { incident, evidence, diagnosis, now } = situation;
  const attempt = openAttempt(incident);
  if (!attempt) return { to: 'confirmed', reason: 'no step is being taken' };
  const write = newerWrite(situation);
  if (write) return yieldTo(situation, write);
  if (isWell(situation)) return recover(situation, wellAfter(attempt));
  if (evidence.blind) return hold(situation, { by: 'blindness', reason: evidence.blind });
  if (!isDisruptive(attempt.step) && diagnosis && !ladders[diagnosis.cause].includes(attempt.step)) {
    return failed(situation, 'it became more than Kubernetes can do', false);
  }
  if (diagnosis?.cause === 'bad-revision' && diagnosis.confidence !== 'possible' && attempt.step !== 'rollback') {
    return failed(situation, `${attempt.step} can not help: ${causeInWords['bad-revision']}`);
  }
  return (
    nextWave(situation, attempt) ??
    judged(situation, attempt) ??
    goesOn(situation, attempt) ??
    late(situation, attempt, now)
  );
}

function wellAfter({ step }: Attempt): string {
  return isDisruptive(step) ? `well again after ${step}` : 'Kubernetes has done it';
}

function nextWave(situation: Situation, attempt: Attempt): Move | undefined {
  const { diagnosis } = situation;
  // Its waves are the workload's own.
  if (isRolling(attempt)) return undefined;
  // Nobody counts it any more: somebody else may have taken its place, as while the API server was away.
  if (situation.now >= attempt.deadline) return undefined;
  // What looked like the fault of one may have turned out to be the network's.
  if (diagnosis && !ladders[diagnosis.cause].some((step) => takesAs(attempt.step).has(step))) return undefined;
  const mayGoOn = isSettled(situation) || isHeldUp(situation);
  if (!mayGoOn || newcomers(situation, attempt).some(isFailing)) return undefined;
  const remaining = remainingOf(situation, attempt);
  if (remaining.length === 0) return undefined;
  const targets = wave(situation, remaining);
  const refused = refusal(situation, { step: attempt.step, targets, isFirst: false });
  if (refused) return undefined;
  const incident = wentOn(situation, targets);
  const action = openAttempt(incident)?.actions.at(-1);
  return { to: 'repairing', reason: action?.reason ?? 'the next wave', incident };
}

/** Steps that would take the same ones: who is left behind by a roll-back looks ill by itself once that is done. */
function takesAs(step: Step): ReadonlySet<Step> {
  return new Set<Step>(step === 'rollback' ? ['rollback', 'replace'] : [step]);
}

/** Ends early where waiting on would change nothing. */
function judged(situation: Situation, attempt: Attempt): Move | undefined {
  if (!isDisruptive(attempt.step) || !situation.diagnosis) return undefined;
  const fresh = newcomers(situation, attempt);
  const broken = fresh.find(isBroken);
  if (broken) return failed(situation, `${broken.name}, which came after it, fails as well`);
  // One that has crashed may yet be mended by Kubernetes, or turn out to be broken.
  const isComplete = fresh.length > 0 && !fresh.some(isFailing) && isSettled(situation);
  if (attempt.actions.some(({ kind }) => kind !== 'evict') || !isComplete) return undefined;
  if (remainingOf(situation, attempt).length > 0) return undefined;
  const { incident, now } = situation;
  return {
    to: 'confirmed',
    reason: 'what was replaced is well, something else is not',
    incident: ended(incident, 'succeeded', now),
  };
}

/** More time for a rolling update of which the next instance has come. */
function goesOn(situation: Situation, attempt: Attempt): Move | undefined {
  if (!isRolling(attempt)) return undefined;
  const incident = wentOnByItself(situation, attempt, newcomers(situation, attempt));
  const { deadline = 0 } = openAttempt(incident) ?? {};
  if (incident === situation.incident || situation.now >= deadline) return undefined;
  return { reason: 'the rolling update goes on', until: deadline, incident };
}

function late(situation: Situation, { deadline, step, startedAt }: Attempt, now: number): Move {
  if (now < deadline) return { reason: `waits to see ${step} take effect`, until: deadline };
  return failed(situation, `still not well ${inWords(now - startedAt)} after ${step}`);
}

function failed(situation: Situation, reason: string, isFault = true): Move {
  const { incident, now, history } = situation;
  const tried = openAttempt(incident)?.actions.findLast(({ kind }) => kind === 'rollback');
  // A revision that was gone back to and is not well either is nothing to go back to again; unless it never had its turn.
  const demoted = isFault && !incident.refusal && tried?.outcome?.result === 'done' && tried.revision;
  const healthy = history.revisions.healthy.filter((one) => one !== demoted);
  return {
    to: 'confirmed',
    reason,
    incident: ended(incident, isFault ? 'failed' : 'abandoned', now),
    ...(demoted && { history: { repairs: history.repairs, revisions: { ...history.revisions, healthy } } }),
  };
}

/** Everybody is there again, and has shown how they are. Who ends on a dead node for ever is not waited for. */
function isSettled({ evidence }: Situation): boolean {
  const { starting, unknown, terminating } = evidence.counts;
  return starting + unknown === 0 && evidence.instances.length - terminating >= evidence.desired;
}

/** Instances that came after the attempt began, and because of it: those of a revision that is being left did not. */
function newcomers({ evidence }: Situation, { present, actions }: Attempt): InstanceEvidence[] {
  const revision = actions.findLast(({ kind }) => kind === 'rollback')?.revision;
  const isOfIt = (instance: InstanceEvidence) => revision === undefined || instance.revision === revision;
  const came = evidence.instances.filter(({ uid, health }) => health !== 'terminating' && !present.includes(uid));
  return came.filter(isOfIt);
}

function isFailing({ health }: InstanceEvidence): boolean {
  return health === 'failing';
}

/** Failing in a way that time will not heal: one crash is Kubernetes' to mend. */
function isBroken({ health, symptoms }: InstanceEvidence): boolean {
  return (
    health === 'failing' && symptoms.some(({ confirmed, kind }) => confirmed && kind !== 'crash' && kind !== 'oom')
  );
}
