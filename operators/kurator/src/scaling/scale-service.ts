/** Follows the load: asks the brain how many instances there should be, and sets that. */
import { carryOut } from '../acting/carry-out.ts';
import { freshScalingMemory, type ScalingDecision, type ScalingMetrics, scale } from '../brain/scaling/scale.ts';
import { onlyTells, type ScalingSpec } from '../brain/spec.ts';
import type { Thought } from '../brain/think.ts';
import { type Millis, within } from '../brain/time.ts';
import type { Case } from '../healing/case.ts';
import { markOfScaling } from '../healing/foreign-write.ts';

/** Decides; undefined for a service that doesn't scale. */
export function decideScale(found: Case, thought: Thought): ScalingDecision | undefined {
  const { spec, mind, now } = found;
  if (!spec.scaling) return undefined;
  const metrics = metricsOf(found, thought);
  mind.scaling ??= freshScalingMemory(now);
  const decision = outOfBounds(spec.scaling, metrics, mind.scaling) ?? scale(spec.scaling, metrics, mind.scaling, now);
  // What is only decided is not done: a change is remembered once it is made.
  if (decision.kind === 'hold') mind.scaling = decision.memory;
  return decision;
}

/** Sets the replicas, on the workload as it was seen. */
export async function applyScale(found: Case, decision: ScalingDecision): Promise<void> {
  const { scene, context, mind, ward } = found;
  const { kind, replicas, reason, memory } = decision;
  if (kind === 'hold' || ward.mode !== 'On') return;
  const { workload, revisions, target } = scene;
  const { generation = 0 } = workload.metadata;
  const action = {
    id: markOfScaling(generation, replicas),
    kind: 'scale' as const,
    targets: [],
    replicas,
    expect: { generation, revision: mind.seen?.workload.revision ?? '' },
    reason,
    intendedAt: found.now,
  };
  const { client, signal, log, event } = context;
  const { result, message } = await carryOut(action, {
    client,
    type: target.type,
    workload,
    revisions,
    now: ward.now,
    signal,
  });
  ward.tally.scalings.add({ direction: kind, outcome: result });
  log.info('scales', { replicas, reason, result, message });
  if (result !== 'done') return;
  mind.scaling = memory;
  event('Normal', kind === 'out' ? 'ScaledOut' : 'ScaledIn', `${replicas} instances: ${reason}`, { action: 'Scale' });
}

/** Whoever sets none wants none; else the bounds hold, whatever the load. */
function outOfBounds(
  { min, max }: ScalingSpec,
  { replicas, autoscaler, forbidden }: ScalingMetrics,
  memory: ScalingDecision['memory'],
): ScalingDecision | undefined {
  if (replicas === 0 || autoscaler !== undefined || forbidden !== undefined) return undefined;
  if (replicas < min) return { kind: 'out', replicas: min, reason: `there must be at least ${min}`, memory };
  return replicas > max ? { kind: 'in', replicas: max, reason: `there must be at most ${max}`, memory } : undefined;
}

function forbiddenBy(spec: Case['spec'], blind: string | undefined, now: Millis): string | undefined {
  if (spec.mode === 'Off') return 'Kurator is switched off';
  if (spec.pause) return 'it is paused';
  if (within(spec.maintenance, now)) return 'there is maintenance';
  return blind ?? onlyTells(spec);
}

/** Whoever is starting or ending takes no share of the load. */
const serving: ReadonlySet<string> = new Set(['healthy', 'impaired', 'failing', 'unknown']);

function metricsOf(found: Case, thought: Thought): ScalingMetrics {
  const { mind, memory, spec, now } = found;
  const { workload } = mind.seen ?? {};
  const { evidence } = thought;
  const { foreignWrite } = memory.workload ?? {};
  const trouble = troubleOf(found, thought);
  const forbidden = forbiddenBy(spec, evidence.blind, now);
  return {
    replicas: evidence.desired,
    instances: evidence.instances.map(({ uid, health }) => {
      const usage = mind.gauges?.get(uid)?.scaling;
      return { uid, serving: serving.has(health), ...(usage && { usage }) };
    }),
    ...(workload?.autoscaler !== undefined && { autoscaler: workload.autoscaler }),
    ...(foreignWrite?.what === 'replicas' && { foreignWriteAt: foreignWrite.at }),
    ...(trouble !== undefined && { trouble }),
    ...(forbidden !== undefined && { forbidden }),
  };
}

function troubleOf({ mind, ward }: Case, { history, evidence }: Thought): string | undefined {
  if (history.incident) return 'there is an open incident';
  if (ward.weather.stormSince !== undefined) return 'there is a storm';
  if (mind.seen?.workload.rollout === 'progressing') return 'a rollout is under way';
  return evidence.condition === 'up' ? undefined : 'it is not known to be well';
}

/** For the status: what was done, or why it holds. Said anew only if it says something else, not for each new number. */
export function scalingInWords(decision: ScalingDecision | undefined, before: string | undefined): string | undefined {
  if (!decision) return undefined;
  const { kind, replicas, reason } = decision;
  const words = kind === 'hold' ? `holds: ${reason}` : `scales ${kind} to ${replicas}: ${reason}`;
  const isSame = before !== undefined && shape(before) === shape(words) && kind === 'hold';
  return isSame ? before : words.slice(0, 1024);
}

function shape(words: string): string {
  return words.replace(/[\d.]+/g, '#');
}
