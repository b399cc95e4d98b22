/** A Deployment or StatefulSet as the brain sees it. */
import type {
  Deployment,
  HorizontalPodAutoscaler,
  LabelSelector,
  PodDisruptionBudget,
  StatefulSet,
} from '@kurator/sdk';
import type { ForeignWrite, WorkloadObservation } from '../brain/observation.ts';
import { timeOf } from './moment.ts';
import { type Revision, wantedRevision } from './revision.ts';

export type Workload = Deployment | StatefulSet;

/** What else bears on a workload. */
export interface Surroundings {
  readonly revisions: readonly Revision[];
  readonly autoscalers: readonly HorizontalPodAutoscaler[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly foreignWrite?: ForeignWrite | undefined;
}

/** Its replicas are the API server's default where nobody says. */
const REPLICAS = 1;

export function observeWorkload(workload: Workload, surroundings: Surroundings): WorkloadObservation {
  const { metadata, spec } = workload;
  const { revisions, foreignWrite } = surroundings;
  const generation = metadata.generation ?? 0;
  const autoscaler = surroundings.autoscalers.find((one) => targets(one, workload));
  const disruptionsAllowed = allowed(workload, surroundings.budgets);
  return {
    desired: spec?.replicas ?? REPLICAS,
    generation,
    // Not known yet, and not to be taken for the one before.
    revision: wantedRevision(workload, revisions)?.id ?? `generation ${generation}`,
    revisions: revisions.map(({ id }) => id),
    ...rolloutOf(workload),
    ...(foreignWrite && { foreignWrite }),
    paused: workload.kind === 'Deployment' && (workload as Deployment).spec?.paused === true,
    ...(autoscaler && { autoscaler: autoscaler.metadata.name }),
    ...(disruptionsAllowed !== undefined && { disruptionsAllowed }),
  };
}

function rolloutOf(workload: Workload): Pick<WorkloadObservation, 'rollout' | 'stalledSince'> {
  const { metadata, spec, status } = workload;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return { rollout: 'progressing' };
  const desired = spec?.replicas ?? REPLICAS;
  const updated = status?.updatedReplicas ?? 0;
  const isUpdated = updated >= desired && (status?.replicas ?? 0) <= Math.max(updated, desired);
  if (workload.kind === 'StatefulSet') {
    const { currentRevision, updateRevision } = (workload as StatefulSet).status ?? {};
    return { rollout: currentRevision === updateRevision || isUpdated ? 'settled' : 'progressing' };
  }
  return deploymentRollout(workload as Deployment, isUpdated);
}

function deploymentRollout(
  { status }: Deployment,
  isUpdated: boolean,
): Pick<WorkloadObservation, 'rollout' | 'stalledSince'> {
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
  if (progress?.status !== 'False') return { rollout: isUpdated ? 'settled' : 'progressing' };
  const stalledSince = timeOf(progress.lastTransitionTime);
  return { rollout: 'stalled', ...(stalledSince !== undefined && { stalledSince }) };
}

function targets({ spec }: HorizontalPodAutoscaler, { kind, metadata }: Workload): boolean {
  return spec?.scaleTargetRef.kind === kind && spec.scaleTargetRef.name === metadata.name;
}

/** The strictest of the budgets counts. */
function allowed({ spec }: Workload, budgets: readonly PodDisruptionBudget[]): number | undefined {
  const labels = spec?.template.metadata?.labels ?? {};
  const binding = budgets.filter((budget) => selects(budget.spec?.selector, labels));
  if (binding.length === 0) return undefined;
  return Math.min(...binding.map(({ status }) => status?.disruptionsAllowed ?? 0));
}

/** Whether a selector selects an object with these labels; none selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => operators[operator]?.(labels[key], values) ?? false)
  );
}

const operators: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
};
