/** The operator's own log: a line for each change of a stage, with the fault. */

import type { History } from '../brain/incident/history.ts';
import type { Incident } from '../brain/incident/incident.ts';
import type { Context } from '../memory/pass.ts';

/** Says what has changed since, once it is written down. */
export function logStages(
  log: Context['log'],
  before: History,
  { incident }: { readonly incident?: Incident | undefined },
): void {
  if (!incident) return;
  const { id, diagnosis, transitions } = incident;
  const known = before.incident?.id === id ? before.incident.transitions.length : 0;
  for (const { from, to, reason, condition } of transitions.slice(known)) {
    log.info('an incident changes its stage', {
      incident: id,
      ...(from && { from }),
      stage: to,
      condition,
      ...(diagnosis && { fault: diagnosis.cause }),
      reason,
    });
  }
}
