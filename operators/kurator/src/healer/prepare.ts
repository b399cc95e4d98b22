/** How a pass begins: lets go of what is not described any more, and makes the service as its Kurator describes it. */
import type { Mode } from '../brain/spec.ts';
import { notServed, type Served, serve } from '../hands/service/make-service.ts';
import { releaseUndescribed } from '../hands/service/release.ts';
import type { Context, Pass } from '../memory/pass.ts';
import { ServiceMemories } from '../memory/service-memory.ts';
import { recordOf, type ServiceRecord } from '../memory/service-record.ts';
import { Kurator } from '../resources/kurator.ts';
import { targetKey, targetOf } from '../resources/lookup.ts';
import type { Obstacle } from './pass.ts';

/** What is known once a service was seen to. */
export interface Prepared {
  /** As the switch was then. */
  readonly mode: Mode;
  /** As it was written before. */
  readonly written: ServiceRecord;
  readonly served: Served | undefined;
}

/** Makes the service as described, where it is ours, and lets go of what was. */
export async function prepare(pass: Pass, mode: Mode): Promise<Prepared | Obstacle> {
  const { kurator, now } = pass;
  await releaseUndescribed(pass);
  const taken = takenBy(pass);
  if (taken) return taken;
  const written = recordOf(kurator, now);
  const served = mode === 'On' ? await serve(pass, written) : notServed(kurator, written, mode);
  if (served?.stranger) return { reason: 'NotOurs', problem: served.stranger, isGone: true };
  return { mode, written, served };
}

/** Two that repair one workload would fight: it is the older one's. */
function takenBy({ kurator, context }: Pass): Obstacle | undefined {
  const { kind, name } = targetOf(kurator);
  const all = context.byIndex(Kurator, 'target', targetKey(kurator.metadata.namespace, kind, name));
  const [first] = all.toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)));
  if (!first || first.metadata.uid === kurator.metadata.uid) return undefined;
  return {
    reason: 'TargetTaken',
    problem: `${kind} ${name} is looked after by Kurator ${first.metadata.name} already`,
    isGone: true,
  };
}

function ageOf({ metadata }: Kurator): string {
  return `${metadata.creationTimestamp} ${metadata.name}`;
}

/**
 * A pass of a dry run of the operator: what of a described service would be made, changed or let go of, with a client that
 * writes nothing. What nothing would come of is told as an Event. Of repairs it says nothing: they follow from checks, over
 * time.
 */
export async function rehearse(kurator: Kurator, context: Context, mode: Mode, now: number): Promise<void> {
  const memory = new ServiceMemories(() => {}).of(kurator);
  const prepared = await prepare({ kurator, context, memory, now }, mode);
  const told =
    'problem' in prepared
      ? prepared
      : prepared.served?.problem && { reason: 'NotApplied', problem: prepared.served.problem };
  if (told) context.event('Warning', told.reason, told.problem.slice(0, 1024), { action: 'Apply' });
}
