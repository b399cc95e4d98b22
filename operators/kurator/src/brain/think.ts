/**
 * One thought about one service: look, diagnose, decide, and say what to remember, what to do and whom to tell. Pure:
 * whoever calls it writes the history down first, and then does what it says. If writing fails, the thought is
 * forgotten, and nothing was done.
 */
import type { Notification, Warning } from './alerts/notification.ts';
import { announce } from './alerts/policy.ts';
import { warn } from './alerts/warnings.ts';
import type { ClusterView } from './cluster/survey.ts';
import { noticesOfFault } from './dependencies/coordination.ts';
import type { Diagnosis } from './diagnosis/cause.ts';
import { diagnose } from './diagnosis/diagnose.ts';
import { detect } from './evidence/detect.ts';
import type { Evidence } from './evidence/evidence.ts';
import { proveChecks, provenIn } from './evidence/proven-checks.ts';
import { type History, proveRevision, shelve } from './incident/history.ts';
import {
  type Action,
  type ActionOutcome,
  type HeldBy,
  type Incident,
  type Notice,
  unsettled,
} from './incident/incident.ts';
import { enter, impactOf, noted, open, settle } from './incident/keeping.ts';
import { underRepair } from './incident/stage.ts';
import type { Observation } from './observation.ts';
import type { Perception } from './perception/perception.ts';
import { decide } from './recovery/decide.ts';
import type { Move, Situation } from './recovery/situation.ts';
import type { ServiceSpec } from './spec.ts';
import type { Millis } from './time.ts';

/** What a thought is made from. */
export interface ThoughtInput {
  readonly spec: ServiceSpec;
  readonly seen: Observation;
  readonly perception: Perception;
  readonly history: History;
  readonly cluster: ClusterView;
  /** How actions have ended since the last thought. Those that are already known are ignored. */
  readonly outcomes: readonly ActionOutcome[];
  readonly now: Millis;
}

/** In one word what is done, and why. */
export interface Decision {
  readonly kind: 'idle' | 'wait' | 'hold' | 'act' | 'handOver';
  readonly reason: string;
  readonly heldBy?: HeldBy;
}

/** What came out of it. */
export interface Thought {
  readonly evidence: Evidence;
  readonly diagnosis?: Diagnosis;
  readonly decision: Decision;
  /** To be written before anything else is done. The same object as before when there is nothing new to write. */
  readonly history: History;
  /** The incident's record as it stands, also on the day that it is closed and leaves the history. */
  readonly incident?: Incident;
  /** What is decided and not done: to be carried out, by id at most once. The same again after a crash. */
  readonly actions: readonly Action[];
  /** What to tell people, once the history is written. */
  readonly notifications: readonly Notification[];
  readonly warnings: readonly Warning[];
  /** What to tell dependants, once the history is written. */
  readonly notices: readonly Notice[];
  /** When to think again if nothing happens until then. */
  readonly until?: Millis;
  /** A repair begins: the cluster's view must count it. */
  readonly beginsRepair: boolean;
}

/** No incident passes through more stages than this in one thought. */
const stagesAtOnce = 12;

/** Thinks. */
export function think(input: ThoughtInput): Thought {
  const { spec, seen, perception, now } = input;
  const before = proveChecks(spec, input.history, perception, seen);
  const evidence = detect(spec, perception, seen, provenIn(before), now);
  const { history: decided, diagnosis, move } = conclude({ ...input, history: before }, evidence);
  const told = announced(input, decided, move);
  const proven = proveRevision(spec, told.history, seen, evidence, now);
  const { warnings, history } = warn(spec, perception, proven, now);
  const noticesBefore = before.incident?.id === decided.incident?.id ? (before.incident?.notices.length ?? 0) : 0;
  const changes = evidence.instances.map(({ changesAt }) => changesAt);
  const until = earliest(now, [move?.until, told.until, ...changes]);
  return {
    evidence,
    ...(diagnosis && { diagnosis }),
    decision: decisionOf(history, move),
    history,
    ...(told.incident && { incident: told.incident }),
    actions: unsettled(history.incident),
    notifications: told.notifications,
    warnings,
    notices: decided.incident?.notices.slice(noticesBefore) ?? [],
    ...(until !== undefined && { until }),
    // A refused one is taken off the list again.
    beginsRepair: decided.repairs.at(-1) === now && before.repairs.at(-1) !== now,
  };
}

/** What a conclusion is drawn from, besides the evidence. */
export type Grounds = Omit<ThoughtInput, 'perception'>;

/** Diagnoses and decides, from evidence as it was. */
export function conclude(grounds: Grounds, evidence: Evidence): Conclusion {
  const { spec, history, outcomes, now } = grounds;
  return pursued(grounds, opened(spec, settle(history, outcomes), evidence, now), evidence);
}

function opened(spec: ServiceSpec, history: History, evidence: Evidence, now: Millis): History {
  if (history.incident || evidence.blind || evidence.symptoms.length === 0) return history;
  return open(spec, history, evidence, now);
}

/** What a conclusion is. */
export interface Conclusion {
  readonly history: History;
  readonly diagnosis: Diagnosis | undefined;
  /** The last one, which stays where it is; undefined without an incident. */
  readonly move: Move | undefined;
}

function pursued(input: Grounds, start: History, evidence: Evidence): Conclusion {
  const { spec, seen, cluster, now } = input;
  let history = start;
  let diagnosis: Diagnosis | undefined;
  for (let stages = 0; stages < stagesAtOnce && history.incident; stages++) {
    const { revisions, incident } = history;
    diagnosis = diagnose({ spec, evidence, seen, revisions, givenUp: incident.givenUp, now });
    const weighed = impactOf(incident, evidence, now);
    // What is seen while a repair takes effect is not why it was begun.
    const thoughtOf = underRepair.has(incident.stage) ? weighed : noted(weighed, diagnosis, seen);
    const situation: Situation = { spec, seen, evidence, diagnosis, history, incident: thoughtOf, cluster, now };
    const move = decide(situation);
    history = moved(situation, move);
    if (move.to === undefined || move.to === incident.stage || move.to === 'close') return { history, diagnosis, move };
  }
  return { history, diagnosis, move: undefined };
}

/** Stages that a fault enters when it is known to be one. */
const known: ReadonlySet<Move['to']> = new Set(['confirmed', 'waitingForDependency']);

function moved(situation: Situation, move: Move): History {
  const { history, evidence, now } = situation;
  const incident = move.incident ?? situation.incident;
  const notices = known.has(move.to) ? noticesOfFault({ ...situation, incident }) : [];
  const changed = notices.length > 0 ? { ...incident, notices: [...incident.notices, ...notices] } : incident;
  const isStaying = move.to === undefined || move.to === 'close' || move.to === incident.stage;
  const { hold: _, ...free } = changed;
  // Whatever held it up does so no more.
  const stayed = changed.hold && !move.isHeld ? free : changed;
  const next = isStaying ? stayed : enter(changed, move.to, move.reason, evidence.condition, now);
  if (next === history.incident && !move.history) return history;
  return { ...history, ...move.history, incident: next };
}

interface Told {
  readonly history: History;
  readonly incident?: Incident;
  readonly notifications: readonly Notification[];
  readonly until?: Millis;
}

function announced({ spec, cluster, now }: ThoughtInput, history: History, move: Move | undefined): Told {
  if (!history.incident) return { history, notifications: [] };
  const isClosing = move?.to === 'close';
  const isStorm = cluster.stormSince !== undefined;
  const { incident, notification, until } = announce(history.incident, { spec, now, isStorm, isClosing });
  const remembered = incident === history.incident ? history : { ...history, incident };
  return {
    history: isClosing ? shelve(remembered, incident, now) : remembered,
    incident,
    notifications: notification ? [notification] : [],
    ...(until !== undefined && { until }),
  };
}

function decisionOf({ incident }: History, move: Move | undefined): Decision {
  if (!incident || !move) return { kind: 'idle', reason: move?.reason ?? 'nothing is wrong' };
  const [action] = unsettled(incident);
  if (action) return { kind: 'act', reason: action.reason };
  if (incident.hold) return { kind: 'hold', reason: incident.hold.reason, heldBy: incident.hold.by };
  const isOver = incident.stage === 'handedOver' || incident.stage === 'quarantined';
  return { kind: isOver ? 'handOver' : 'wait', reason: move.reason };
}

/** The next of these times. To think again about what is past would be to think the same again, without end. */
function earliest(now: Millis, times: readonly (Millis | undefined)[]): Millis | undefined {
  const ahead = times.filter((time) => time !== undefined && time > now) as Millis[];
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
