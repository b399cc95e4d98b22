/** A template that was rolled back is kept away, for as long as it is what the spec wants. */
import type { PodTemplateSpec } from '@kurator/sdk';
import { actionAnnotation } from '../acting/carry-out.ts';
import { type Action, type Incident, unsettled } from '../brain/incident/incident.ts';
import type { HeldBack } from '../healing/memory.ts';
import type { Revision } from '../observing/revision.ts';
import type { Workload } from '../observing/workload.ts';

/** What is held back now; undefined once the person wants something else, or when the roll-back came to nothing. */
export function heldBackNow(
  held: HeldBack | undefined,
  wanted: string,
  workload: Workload | undefined,
  incident: Incident | undefined,
): HeldBack | undefined {
  if (!held || held.wanted !== wanted) return undefined;
  const { action, ...done } = held;
  if (action === undefined) return held;
  if (workload?.metadata.annotations?.[actionAnnotation] === action) return done;
  return unsettled(incident).some(({ id }) => id === action) ? held : undefined;
}

/** What is to be remembered before a roll-back is done: else the next round would undo it. */
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
  workload: Workload | undefined,
  revisions: readonly Revision[],
): PodTemplateSpec {
  if (!held) return wanted;
  // As long as the roll-back is not done, whoever does it expects the workload as it is.
  const isDone = held.action === undefined;
  const good = isDone ? revisions.find(({ id }) => id === held.revision)?.template : undefined;
  return good ?? workload?.spec?.template ?? wanted;
}
