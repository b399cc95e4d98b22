/** A template that was rolled back is kept away, for as long as it is what the spec wants. */

import type { PodTemplateSpec } from '@kurator/sdk';
import type { Action, ActionResult, Incident } from '../../brain/incident/incident.ts';
import type { HeldBack } from '../../memory/service-record.ts';
import type { Workload } from '../../resources/lookup.ts';
import { actionAnnotation } from '../../resources/ownership.ts';
import { type Revision, withoutRestart } from '../../resources/revision.ts';

/** How the roll-back of a template stands. */
export interface RollBack {
  /** How its action has ended, as far as anybody knows. */
  readonly outcome: ActionResult | undefined;
  /** The workload as the server has it: the cache may not have heard of the roll-back yet. */
  readonly live: Workload | undefined;
}

/** What is held back now; undefined once the person wants something else, or when the roll-back came to nothing. */
export function heldBackNow(held: HeldBack, { outcome, live }: RollBack): HeldBack | undefined {
  const { action, ...done } = held;
  if (action === undefined) return held;
  if (outcome === 'done' || live?.metadata.annotations?.[actionAnnotation] === action) return done;
  return outcome === undefined ? held : undefined;
}

/** How an action of an incident has ended; one that nobody remembers was withdrawn. */
export function outcomeIn(incident: Incident | undefined, id: string): ActionResult | undefined {
  const actions = incident?.attempts.flatMap((attempt) => attempt.actions) ?? [];
  const action = actions.find((one) => one.id === id);
  return action ? action.outcome?.result : 'withdrawn';
}

/** What is to be remembered before a roll-back is done: else the next pass would undo it. */
export function heldBackBefore(
  held: HeldBack | undefined,
  wanted: string,
  actions: readonly Action[],
): HeldBack | undefined {
  const rollback = actions.find(({ kind }) => kind === 'rollback');
  if (rollback?.revision === undefined) return held;
  return { wanted, revision: rollback.revision, action: rollback.id };
}

/** The template that is to run. */
export function templateToRun(
  wanted: PodTemplateSpec,
  held: HeldBack | undefined,
  live: Workload | undefined,
  revisions: readonly Revision[],
): PodTemplateSpec {
  if (!held) return wanted;
  // As long as the roll-back is not done, whoever does it expects the workload as it is.
  const isDone = held.action === undefined;
  const good = isDone ? revisions.find(({ version }) => version === held.revision)?.template : undefined;
  const template = good ?? live?.spec?.template;
  // When it was restarted is said by whoever restarts it: to apply an older time would be to undo that.
  return template ? withoutRestart(template) : wanted;
}
