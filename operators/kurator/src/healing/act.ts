/** Does what is decided and written down: each action once, as far as this process knows; the rest is found out. */
import { carryOut } from '../acting/carry-out.ts';
import type { Thought } from '../brain/think.ts';
import type { Case } from './case.ts';

/** Carries out what is not done yet; how it ended is for the next thought, which follows at once. */
export async function act({ mind, scene, context, ward }: Case, { actions }: Thought): Promise<void> {
  const { client, signal, log } = context;
  const { workload, revisions, target } = scene;
  for (const action of actions) {
    // Turned between the thought and the deed: the next thought lets go of it.
    if (ward.mode !== 'On') break;
    if (mind.outcomes.has(action.id)) continue;
    log.info('acts', { action: action.id, what: action.reason });
    const outcome = await carryOut(action, { client, type: target.type, workload, revisions, now: ward.now, signal });
    mind.outcomes.set(action.id, outcome);
    ward.tally.acted(action.kind, outcome);
    log.info('has acted', { action: action.id, result: outcome.result, message: outcome.message });
  }
  if (actions.length > 0) ward.wake([mind.name]);
}
