/** Follows the load: asks the brain how many instances there should be, and sets that. */

import type { ActionResult } from '../brain/incident/incident.ts';
import { freshScalingMemory, type ScalingDecision, type ScalingMetrics, scale } from '../brain/scaling/scale.ts';
import { onlyTells, type ScalingSpec, type ServiceSpec } from '../brain/spec.ts';
import type { Thought } from '../brain/think.ts';
import { type Millis, within } from '../brain/time.ts';
import type { ClusterState } from '../memory/cluster-state.ts';
import type { Pass } from '../memory/pass.ts';
import type { ServiceRecord } from '../memory/service-record.ts';
import type { Target, Workload } from '../resources/lookup.ts';
import { markOfScaling } from '../resources/ownership.ts';
import type { Revision } from '../resources/revision.ts';
import { carryOut } from './carry-out.ts';

/** What a decision is made from. */
export interface ScalingGrounds extends Pick<Pass, 'memory' | 'now'> {
  readonly spec: ServiceSpec;
  readonly record: ServiceRecord;
  readonly scope: { readonly clusterState: Pick<ClusterState, 'stormSince'> };
}

/** What is scaled. */
export interface Scaled extends Pick<Pass, 'context' | 'memory' | 'now'> {
  readonly objects: {
    readonly target: Pick<Target, 'type'>;
    readonly workload: Workload;
    readonly revisions: readonly Revision[];
  };
  readonly clock: () => Millis;
}

/** Decides; undefined for a service that doesn't scale. */
export function decideScale(found: ScalingGrounds, thought: Thought): ScalingDecision | undefined {
  const { spec, memory, now } = found;
  if (!spec.scaling) return undefined;
  const metrics = metricsOf(found, thought);
  memory.scaling ??= freshScalingMemory(now);
  const decision =
    outOfBounds(spec.scaling, metrics, memory.scaling) ?? scale(spec.scaling, metrics, memory.scaling, now);
  // What is only decided is not done: a change is remembered once it is made.
  if (decision.kind === 'hold') memory.scaling = decision.memory;
  return decision;
}

/** Sets the replicas, on the workload as it was seen; says how that ended. */
export async function applyScale(scaled: Scaled, decision: ScalingDecision): Promise<ActionResult> {
  const { objects, context, memory, now, clock } = scaled;
  const { kind, replicas, reason } = decision;
  const { workload, revisions, target } = objects;
  const { generation = 0 } = workload.metadata;
  const action = {
    id: markOfScaling(generation, replicas),
    kind: 'scale' as const,
    targets: [],
    replicas,
    expect: { generation, revision: memory.seen?.workload.revision ?? '' },
    reason,
    intendedAt: now,
  };
  const { client, signal, log, event } = context;
  const { result, message } = await carryOut(action, {
    client,
    type: target.type,
    workload,
    revisions,
    now: clock,
    signal,
  });
  log.info('scales', { replicas, reason, result, message });
  if (result !== 'done') return result;
  memory.scaling = decision.memory;
  event(
    'Normal',
    kind === 'out' ? 'ScaledOut' : 'ScaledIn',
    `${replicas} ${replicas === 1 ? 'pod' : 'pods'}: ${reason}`,
    { action: 'Scale' },
  );
  return result;
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

function forbiddenBy(spec: ServiceSpec, blind: string | undefined, now: Millis): string | undefined {
  if (spec.mode === 'Off') return 'Kurator is switched off';
  if (spec.pause) return 'it is paused';
  if (within(spec.maintenance, now)) return 'there is maintenance';
  return blind ?? onlyTells(spec);
}

/** Whoever is starting or ending takes no share of the load. */
const serving: ReadonlySet<string> = new Set(['healthy', 'impaired', 'failing', 'unknown']);

function metricsOf(found: ScalingGrounds, thought: Thought): ScalingMetrics {
  const { memory, record, spec, now } = found;
  const { workload } = memory.seen ?? {};
  const { evidence } = thought;
  const { foreignWrite } = record.workload ?? {};
  const trouble = troubleOf(found, thought);
  const forbidden = forbiddenBy(spec, evidence.blind, now);
  return {
    replicas: evidence.desired,
    instances: evidence.instances.map(({ uid, health }) => {
      const usage = memory.usage?.get(uid)?.scaling;
      return { uid, serving: serving.has(health), ...(usage && { usage }) };
    }),
    ...(workload?.autoscaler !== undefined && { autoscaler: workload.autoscaler }),
    ...(foreignWrite?.what === 'replicas' && { foreignWriteAt: foreignWrite.at }),
    ...(trouble !== undefined && { trouble }),
    ...(forbidden !== undefined && { forbidden }),
  };
}

function troubleOf({ memory, scope }: ScalingGrounds, { history, evidence }: Thought): string | undefined {
  if (history.incident) return 'there is an open incident';
  if (scope.clusterState.stormSince !== undefined) return 'there is a storm';
  if (memory.seen?.workload.rollout === 'progressing') return 'a rollout is under way';
  return evidence.condition === 'up' ? undefined : 'it is not known to be well';
}
