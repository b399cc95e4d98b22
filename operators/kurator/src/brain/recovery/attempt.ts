/** One try of one step: how it begins, goes on wave by wave, and ends. */
import { causeInWords } from '../diagnosis/cause.ts';
import type { InstanceEvidence } from '../evidence/evidence.ts';
import type { History } from '../incident/history.ts';
import { type Action, type Attempt, type Incident, openAttempt } from '../incident/incident.ts';
import type { Step } from '../spec.ts';
import { day, type Millis } from '../time.ts';
import { healthyRevision, isDisruptive, scaledOut } from './ladder.ts';
import { cleared, type Situation } from './situation.ts';
import { isRolled, takenFirst } from './targets.ts';

const repairsKept = 200;

/** The incident with a new attempt, and its first action where the step has one. */
export function begun(situation: Situation, step: Step): Incident {
  const { incident, evidence, now, spec, seen } = situation;
  const approvedBy = spec.recovery.steps[step].approval && (seen.orders.approvedBy ?? 'somebody who gave no name');
  const attempt: Attempt = {
    step,
    ...(approvedBy && { approvedBy }),
    startedAt: now,
    deadline: now + spec.recovery.steps[step].deadline,
    actions: [],
    present: evidence.instances.map(({ uid }) => uid),
  };
  const opened = { ...cleared(incident), attempts: [...incident.attempts, attempt] };
  return isDisruptive(step) ? withAction(situation, opened, deed(situation, step)) : opened;
}

/** The incident with the next wave of its attempt, which gets the step's time anew, unless the last one was refused. */
export function wentOn(situation: Situation, targets: readonly InstanceEvidence[]): Incident {
  const { incident } = situation;
  const { step = 'replace' } = openAttempt(incident) ?? {};
  // Whom a roll-back waits for is replaced.
  const said = step === 'rollback' ? 'replace' : step;
  return withAction(situation, cleared(incident), eviction(situation, said, targets));
}

/**
 * The incident with more time for a rolling update that goes on: with each instance that comes, the step's time begins
 * anew, but never more often than there were instances. The same one where nobody has come.
 */
export function wentOnByItself(
  { spec, incident }: Situation,
  attempt: Attempt,
  newcomers: readonly InstanceEvidence[],
): Incident {
  const each = spec.recovery.steps[attempt.step].deadline;
  const last = attempt.startedAt + each * Math.max(1, attempt.present.length);
  const newest = Math.max(...newcomers.map(({ createdAt }) => createdAt));
  const deadline = Math.min(last, newest + each);
  return deadline > attempt.deadline ? replaceLast(incident, { ...attempt, deadline }) : incident;
}

function withAction(situation: Situation, incident: Incident, done: Deed): Incident {
  const attempt = openAttempt(incident);
  if (!attempt) return incident;
  const { now, spec } = situation;
  const isRefused = attempt.actions.at(-1)?.outcome?.result === 'refused';
  const deadline = isRefused ? attempt.deadline : now + spec.recovery.steps[attempt.step].deadline;
  const number = `${incident.attempts.length}.${attempt.actions.length + 1}`;
  const action: Action = {
    id: `${incident.id}/${number}`,
    targets: [],
    expect: { generation: situation.seen.workload.generation, revision: situation.seen.workload.revision },
    intendedAt: now,
    ...done,
  };
  return replaceLast(incident, { ...attempt, deadline, actions: [...attempt.actions, action] });
}

type Deed = Pick<Action, 'kind' | 'reason'> & Partial<Pick<Action, 'targets' | 'isForced' | 'revision' | 'replicas'>>;

function deed(situation: Situation, step: Step): Deed {
  const why = whyOf(situation);
  const revision = healthyRevision(situation);
  const replicas = scaledOut(situation);
  if (step === 'rollback' && revision !== undefined) {
    const reason = `roll back to revision ${revision}: ${why}`;
    return { kind: 'rollback', revision, targets: stuck(situation), reason };
  }
  if (step === 'scale' && replicas !== undefined) {
    return { kind: 'scale', replicas, reason: `scale to ${replicas} pods: ${why}` };
  }
  if (isRolled(situation, step)) return { kind: 'roll', reason: `${step} ${rollInWords(situation)}: ${why}` };
  return eviction(situation, step, takenFirst(situation, step));
}

function eviction(situation: Situation, step: Step, targets: readonly InstanceEvidence[]): Deed {
  const named = targets.map(({ name, uid }) => ({ name, uid }));
  const reason = `${step} ${named.map(({ name }) => name).join(', ')}: ${whyOf(situation)}`;
  return { kind: 'evict', targets: named, reason, ...(isForced(situation, targets) && { isForced: true }) };
}

/** What a rolling update takes, and how. */
export function rollInWords({ seen }: Situation): string {
  const isGapless = seen.workload.surge?.unavailable === 0;
  return `all pods by a rolling update${isGapless ? ' (new ones before the old ones go)' : ''}`;
}

function whyOf({ diagnosis }: Situation): string {
  return causeInWords[diagnosis?.cause ?? 'unknown'];
}

/**
 * A kubelet that is gone never says that its pods have ended, and a StatefulSet makes none anew before that. Only where a
 * person has said that they may run twice; where the node is known to be gone, Kubernetes does it.
 */
function isForced({ spec, seen }: Situation, targets: readonly InstanceEvidence[]): boolean {
  if (!spec.stateful || !spec.recovery.moveWhenUnreachable) return false;
  return targets.some(({ node }) =>
    seen.nodes.some((one) => one.name === node && !one.gone && one.ready === 'unknown'),
  );
}

/**
 * A StatefulSet waits for ever for an instance of the revision that it is to leave: those that fail have to be taken away
 * with it.
 */
function stuck({ spec, evidence, seen }: Situation): Action['targets'] {
  if (!spec.stateful) return [];
  const left = evidence.instances.filter(
    ({ health, revision }) => health === 'failing' && revision === seen.workload.revision,
  );
  return left.map(({ name, uid }) => ({ name, uid }));
}

/** The incident with its attempt ended. What was decided and not done is withdrawn: nobody carries it out any more. */
export function ended(incident: Incident, result: NonNullable<Attempt['result']>, now: Millis): Incident {
  const attempt = openAttempt(incident);
  if (!attempt) return incident;
  const actions = attempt.actions.map((action) =>
    action.outcome ? action : { ...action, outcome: { result: 'withdrawn' as const, at: now } },
  );
  return replaceLast(incident, { ...attempt, actions, result, endedAt: now });
}

/** The incident with its last attempt replaced. */
function replaceLast(incident: Incident, attempt: Attempt): Incident {
  return { ...incident, attempts: incident.attempts.with(-1, attempt) };
}

/** What a beginning attempt changes in the history: the budget is spent, and a bad revision is called so. */
export function spent({ history, seen, now }: Situation, step: Step): Pick<History, 'repairs' | 'revisions'> {
  const { repairs, revisions } = history;
  const { revision } = seen.workload;
  const bad = step === 'rollback' ? [...new Set([...revisions.bad, revision])].slice(-repairsKept) : revisions.bad;
  const kept = repairs.filter((at) => now - at < day).slice(1 - repairsKept);
  return { repairs: isDisruptive(step) ? [...kept, now] : repairs, revisions: { ...revisions, bad } };
}
