/**
 * The record of one fault: the brain's memory that outlives it. All of it is plain JSON and is written to the API server
 * before anything is done, so that whoever reads it next, the same operator or its successor, goes on where it stands.
 */
import type { Cause, Diagnosis } from '../diagnosis/cause.ts';
import type { Condition } from '../evidence/evidence.ts';
import type { Step } from '../spec.ts';
import type { Millis } from '../time.ts';
import type { Stage } from './stage.ts';

/** One change of stage. */
export interface Transition {
  /** Counts from 1 within the incident. */
  readonly seq: number;
  readonly at: Millis;
  /** Missing for the first. */
  readonly from?: Stage;
  readonly to: Stage;
  /** A sentence for people. */
  readonly reason: string;
  readonly condition: Condition;
}

/**
 * How an action ended. `superseded`: somebody else had changed what it was decided upon. `refused`: nothing was done,
 * because a PodDisruptionBudget does not allow it now.
 */
export type ActionResult = 'done' | 'failed' | 'refused' | 'superseded' | 'withdrawn';

/** How an action ended, and when. */
export interface ActionOutcome {
  /** The action's id. */
  readonly action: string;
  readonly result: ActionResult;
  readonly at: Millis;
  readonly message?: string;
  /** The uids of those targets that a PodDisruptionBudget did not let go, where others were taken. */
  readonly spared?: readonly string[];
}

/** An instance that an action is meant for: this one, and not another one of the same name. */
export interface ActionTarget {
  readonly name: string;
  readonly uid: string;
}

/**
 * Something to be done, decided once. The hands carry it out at most once by its id, and only on the state it was decided
 * upon; whatever they can't tell after a crash, they find out by these.
 */
export interface Action {
  readonly id: string;
  readonly kind: 'evict' | 'roll' | 'rollback' | 'scale';
  /** Instances to take away, each by its uid; the workload makes new ones. */
  readonly targets: readonly ActionTarget[];
  /** Not waited for: their node can't say that they have ended, and a person has said not to wait for that. */
  readonly isForced?: boolean;
  /** The revision to go back to. */
  readonly revision?: string;
  /** The number of replicas to set. */
  readonly replicas?: number;
  /** What was seen when it was decided: on anything else it is refused as superseded. */
  readonly expect: { readonly generation: number; readonly revision: string };
  readonly reason: string;
  readonly intendedAt: Millis;
  readonly outcome?: Omit<ActionOutcome, 'action'>;
}

/** One try of one step. */
export interface Attempt {
  readonly step: Step;
  readonly startedAt: Millis;
  /** Moved on with each wave of a step that takes several. */
  readonly deadline: Millis;
  readonly actions: readonly Action[];
  /** Who agreed to it, where somebody had to. */
  readonly approvedBy?: string;
  /** The uids that were there when it began: whatever is not among them came after it. */
  readonly present: readonly string[];
  readonly endedAt?: Millis;
  readonly result?: 'succeeded' | 'failed' | 'abandoned' | 'refused';
}

/** A notice to a dependant: that a fault is confirmed, that a repair of it is about to begin, that it is over. */
export interface Notice {
  readonly id: string;
  readonly to: string;
  readonly phase: 'confirmed' | 'before' | 'after';
  readonly at: Millis;
  /** Whether an answer is waited for. */
  readonly awaited: boolean;
  readonly reason: string;
}

/** What holds a repair up. */
export type HeldBy =
  | 'switch'
  | 'pause'
  | 'maintenance'
  | 'blindness'
  | 'doubt'
  | 'yield'
  | 'workload'
  | 'rollout'
  | 'coolDown'
  | 'budget'
  | 'cluster'
  | 'minimum'
  | 'disruption'
  | 'identity'
  | 'whereabouts';

/** A repair that is held up. */
export interface Hold {
  readonly by: HeldBy;
  readonly reason: string;
  /** Since when it is held up by this, or by what is waited for as long. */
  readonly since: Millis;
  /** Since when it is held up by anything at all. */
  readonly heldSince: Millis;
  /** A person was told that it lasts. */
  readonly told?: true;
}

/** What a person is asked to agree to, or would be, were this not a dry run. */
export interface Proposal {
  readonly id: string;
  readonly step: Step;
  readonly reason: string;
  readonly at: Millis;
}

/** How long the service was not as it should be. */
export interface Impact {
  readonly condition: Condition;
  readonly since: Millis;
  readonly downMs: Millis;
  readonly degradedMs: Millis;
}

/** One incident. */
export interface Incident {
  /** `service#n`. */
  readonly id: string;
  readonly stage: Stage;
  readonly stageSince: Millis;
  /** When the first symptom began. */
  readonly startedAt: Millis;
  readonly confirmedAt?: Millis;
  readonly recoveredAt?: Millis;
  readonly transitions: readonly Transition[];
  readonly diagnosis?: Diagnosis;
  readonly attempts: readonly Attempt[];
  /** Attempts before this one do not count any more: a person has given the incident back. */
  readonly countsFrom: number;
  readonly relapses: number;
  readonly notices: readonly Notice[];
  readonly hold?: Hold;
  readonly proposal?: Proposal;
  /** What refuses every try, since when, and when it did last; missing once one was not refused. */
  readonly refusal?: { readonly reason: string; readonly since: Millis; readonly at: Millis; readonly times: number };
  /** Causes that a person was called for. */
  readonly givenUp: readonly Cause[];
  /** The newest foreign write that was yielded to. */
  readonly yieldedTo?: Millis;
  /** How often a person has given it back. */
  readonly resumed: number;
  /** Since when no symptom has been seen. */
  readonly quietSince?: Millis;
  /** Since when it was not seen to be well, while nothing is confirmed either. */
  readonly restlessSince?: Millis;
  readonly impact: Impact;
  /** The incident in which this one has its root. */
  readonly root?: string;
  /** The last transition that people were told about, and when they were told anything. */
  readonly reported: number;
  readonly notifiedAt: readonly Millis[];
  /** When somebody was last told that nothing can be done. */
  readonly standstillToldAt?: Millis;
  /** Somebody was woken up because it is down. */
  readonly paged: boolean;
}

/** Why an incident that on-call had is pursued again. */
export const givenBackReason = 'on-call has given it back';

/** Whether a transition was for that. Older records call on-call otherwise. */
export function isGivenBack(reason: string): boolean {
  return reason.endsWith(' has given it back');
}

/** The attempt that is under way. */
export function openAttempt({ attempts }: Incident): Attempt | undefined {
  const last = attempts.at(-1);
  return last && last.result === undefined ? last : undefined;
}

/** Whether the workload's own controller replaces all instances, in its own waves. */
export function isRolling({ actions }: Attempt): boolean {
  return actions.some(({ kind }) => kind === 'roll');
}

/** Uids that the attempt has already taken away. Who was refused still has a turn. */
export function touchedBy({ actions }: Attempt): Set<string> {
  const taken = actions.filter(({ outcome }) => outcome?.result !== 'refused');
  return new Set(
    taken.flatMap(({ targets, outcome }) =>
      targets.map(({ uid }) => uid).filter((uid) => !outcome?.spared?.includes(uid)),
    ),
  );
}

/** Actions that are decided and have not ended: to be carried out, or resumed after a crash. */
export function unsettled(incident: Incident | undefined): readonly Action[] {
  if (!incident) return [];
  return openAttempt(incident)?.actions.filter(({ outcome }) => outcome === undefined) ?? [];
}

/** Since when we have been at work on it: the last time that it was confirmed out of a calm. */
export function engagedSince({ transitions }: Incident): Millis {
  const engaged = transitions.findLast(
    ({ from, to }) => to === 'confirmed' && (from === 'suspected' || from === 'recovered'),
  );
  return engaged?.at ?? Number.POSITIVE_INFINITY;
}

/** Repairs of the incident that count: tries of any step that does something. */
export function repairsOf(incident: Incident): number {
  return counted(incident).filter(({ step }) => step !== 'kubernetes').length;
}

/** Tries of a step that count. */
export function triesOf(incident: Incident, step: Step): number {
  return counted(incident).filter((attempt) => attempt.step === step).length;
}

/** Where nothing was done, nothing was tried. */
function counted({ attempts, countsFrom }: Incident): readonly Attempt[] {
  return attempts.slice(countsFrom).filter(({ result }) => result !== 'refused');
}

/** Which round of notices this is: a relapse tells everybody again. */
export function noticesOfRound({ notices, relapses, id }: Incident, phase: Notice['phase']): readonly Notice[] {
  return notices.filter((notice) => notice.phase === phase && notice.id.startsWith(`${id}/${relapses}/`));
}
