/** One decision: what becomes of an incident, by the stage that it is in. */
import type { Stage } from '../incident/stage.ts';
import type { Move, Situation } from './situation.ts';
import { handedOver, quarantined, recovered, yielded } from './stages/endings.ts';
import { pursue } from './stages/pursuing.ts';
import { repairing, verifying } from './stages/repairing.ts';
import { suspected, waitingForDependency } from './stages/waiting.ts';

const byStage: Readonly<Record<Stage, (situation: Situation) => Move>> = {
  suspected,
  dismissed: () => ({ to: 'close', reason: 'it was nothing' }),
  confirmed: pursue,
  waitingForDependency,
  tellingDependants: pursue,
  proposed: pursue,
  repairing,
  verifying,
  yielded,
  recovered,
  handedOver,
  quarantined,
  withdrawn: () => ({ to: 'close', reason: 'there is nothing left to go on with' }),
};

/** Decides. Pure: the same situation always gives the same move. */
export function decide(situation: Situation): Move {
  return byStage[situation.incident.stage](situation);
}
