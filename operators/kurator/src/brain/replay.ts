/**
 * An incident decided again: what was seen at a moment at which something was decided is kept with the incident, and as
 * the brain is pure, the same comes out of it, or a newer version of the brain says what it would do today.
 */
import type { Diagnosis } from './diagnosis/cause.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { Action, Transition } from './incident/incident.ts';
import type { Stage } from './incident/stage.ts';
import { conclude, type Grounds, type Thought } from './think.ts';

/** Everything that something was decided from, but for what was only of interest to the evidence. */
export interface Moment extends Grounds {
  readonly evidence: Evidence;
}

/** What was decided, and what is decided now from the same. */
export interface Replay {
  readonly moment: Moment;
  readonly diagnosis?: Diagnosis;
  readonly transitions: readonly Transition[];
  readonly actions: readonly Action[];
  /** Why it goes no further, where nothing more was decided. */
  readonly reason: string;
}

/** Stages that somebody has decided upon; the others only follow from what happens. */
const decisions: ReadonlySet<Stage> = new Set<Stage>([
  'confirmed',
  'waitingForDependency',
  'tellingDependants',
  'proposed',
  'repairing',
  'yielded',
  'handedOver',
  'quarantined',
]);

/** The moment to be kept of a thought; undefined where nothing was decided. */
export function momentOf(grounds: Grounds, { evidence, incident }: Thought): Moment | undefined {
  const isDecision = incident?.transitions.slice(knownOf(grounds)).some(({ to }) => decisions.has(to));
  if (!isDecision) return undefined;
  // What is over decides nothing.
  return { ...grounds, evidence, history: { ...grounds.history, closed: [], warned: {} } };
}

/** Decides again. */
export function decideAgain(moment: Moment): Replay {
  const { history, diagnosis, move } = conclude(moment, moment.evidence);
  const { transitions = [], attempts = [] } = history.incident ?? {};
  const before = new Set(moment.history.incident?.attempts.flatMap(({ actions }) => actions.map(({ id }) => id)));
  return {
    moment,
    ...(diagnosis && { diagnosis }),
    transitions: transitions.slice(knownOf(moment)),
    actions: attempts.flatMap(({ actions }) => actions.filter(({ id }) => !before.has(id))),
    reason: move?.reason ?? 'nothing is wrong',
  };
}

/** How many changes of stage there were before. */
function knownOf({ history }: Grounds): number {
  return history.incident?.transitions.length ?? 0;
}
