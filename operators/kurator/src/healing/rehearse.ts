/**
 * A round of a dry run of the operator: what of a described service would be made, changed or let go of. Of repairs it says
 * nothing: they follow from checks, over time.
 */
import type { Mode } from '../brain/spec.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { Context } from './case.ts';
import { prepare } from './case-of.ts';
import { Minds } from './mind.ts';

/** Does with a client that writes nothing what a round begins with; what nothing would come of is told as an Event. */
export async function rehearse(kurator: Kurator, context: Context, mode: Mode, now: number): Promise<void> {
  const mind = new Minds(() => {}).of(kurator);
  const prepared = await prepare({ kurator, context, mind, now }, mode);
  const told =
    'problem' in prepared
      ? prepared
      : prepared.served?.problem && { reason: 'NotApplied', problem: prepared.served.problem };
  if (told) context.event('Warning', told.reason, told.problem.slice(0, 1024), { action: 'Apply' });
}
