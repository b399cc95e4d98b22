/** A Deployment or StatefulSet as the brain sees it. */
import type {
  Deployment,
  HorizontalPodAutoscaler,
  LabelSelector,
  PodDisruptionBudget,
  StatefulSet,
} from '@kurator/sdk';
import type { ForeignWrite, Surge, WorkloadObservation } from '../brain/observation.ts';
import { countOf } from '../brain/spec.ts';
import type { Workload } from '../resources/lookup.ts';
import { type Revision, wantedRevision } from '../resources/revision.ts';
import { timeOf } from './observe-node.ts';

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
  const rollout = rolloutOf(workload);
  const creationFailure = creationFailureOf(workload);
  const surge = rollout.rollout === 'settled' ? surgeOf(workload) : undefined;
  return {
    desired: spec?.replicas ?? REPLICAS,
    generation,
    // Not known yet, and not to be taken for the one before.
    revision: wantedRevision(workload, revisions)?.version ?? `generation ${generation}`,
    revisions: [...new Set(revisions.map(({ version }) => version))],
    ...rollout,
    ...(foreignWrite && { foreignWrite }),
    paused: workload.kind === 'Deployment' && (workload as Deployment).spec?.paused === true,
    ...(autoscaler && { autoscaler: autoscaler.metadata.name }),
    ...(disruptionsAllowed !== undefined && { disruptionsAllowed }),
    ...(surge && { surge }),
    ...(creationFailure && { creationFailure }),
  };
}

/** A quota, or an admission that refuses its pods. StatefulSets have no such condition. */
function creationFailureOf(workload: Workload): string | undefined {
  const { conditions = [] } = (workload as Deployment).status ?? {};
  return conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')?.message;
}

/** What the API server takes where nobody says. */
const share = '25%';

/**
 * Whether its pods can be made anew before the old ones go, as its strategy counts. Those of a StatefulSet never: two of
 * one name must not run, so its own update takes one after the other away, without regard to a PodDisruptionBudget.
 */
function surgeOf(workload: Workload): Surge | undefined {
  if (workload.kind !== 'Deployment') return undefined;
  const { replicas = REPLICAS, paused, strategy } = (workload as Deployment).spec ?? {};
  const { type = 'RollingUpdate', rollingUpdate } = strategy ?? {};
  const { maxSurge = share, maxUnavailable = share } = rollingUpdate ?? {};
  if (paused || type !== 'RollingUpdate' || countOf(maxSurge, replicas, Math.ceil) < 1) return undefined;
  return { unavailable: countOf(maxUnavailable, replicas, Math.floor) };
}

type Rollout = Pick<WorkloadObservation, 'rollout' | 'stalledSince'>;

/**
 * A rollout is under way while the controller itself is going to replace pods: those of another revision, as far as its
 * strategy takes them. What only a person moves on (`OnDelete`, a `partition`, a pause) has come to rest; and pods that
 * are merely missing, be it for a quota, are no rollout.
 */
function rolloutOf(workload: Workload): Rollout {
  const { metadata, status } = workload;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return { rollout: 'progressing' };
  const outdated = (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  if (workload.kind === 'StatefulSet') {
    return { rollout: outdated > keptBack(workload as StatefulSet) ? 'progressing' : 'settled' };
  }
  const { spec } = workload as Deployment;
  return spec?.paused ? { rollout: 'settled' } : deploymentRollout(workload as Deployment, outdated);
}

/** How many pods of another revision a StatefulSet leaves as they are. */
function keptBack({ spec, status }: StatefulSet): number {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const isDone = status?.currentRevision === status?.updateRevision;
  return isDone || type === 'OnDelete' ? Number.POSITIVE_INFINITY : (rollingUpdate?.partition ?? 0);
}

function deploymentRollout({ status }: Deployment, outdated: number): Rollout {
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
  if (progress?.status !== 'False') return { rollout: outdated > 0 ? 'progressing' : 'settled' };
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
