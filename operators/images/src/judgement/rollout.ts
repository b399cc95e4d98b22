/** What a rollout looks like in Kubernetes' own words: progress, pods that crash or get no image, readiness. Pure. */
import type { CronJob, DaemonSet, Deployment, Job, Pod, StatefulSet } from '@kurator/sdk';
import type { Verdict } from '../brain/decide.ts';
import type { Target } from '../workload.ts';

/** One crash may be chance, and a dependency that comes up later. */
const MOST_RESTARTS = 2;

/** What no waiting mends, or what the kubelet itself has tried several times. */
const stuck = new Set([
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

const verdict = (is: Verdict['is'], why: string): Verdict => ({ is, why });

/** Pods whose container of this name has this image, and which are not about to go. */
export function podsWith(pods: readonly Pod[], name: string, image: string): Pod[] {
  return pods.filter(
    ({ metadata, spec }) =>
      !metadata.deletionTimestamp &&
      [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(
        (container) => container.name === name && container.image === image,
      ),
  );
}

/** Whether a pod is in trouble by itself, and which. Of the whole pod: a new image may bring down its neighbours. */
export function troubleOf({ metadata, status }: Pod): string | undefined {
  for (const { name, state, restartCount } of [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]) {
    const { reason = '', message } = state?.waiting ?? {};
    if (stuck.has(reason))
      return `${metadata.name}: ${name} is in ${reason}${message ? ` (${message.slice(0, 300)})` : ''}`;
    if (restartCount >= MOST_RESTARTS) return `${metadata.name}: ${name} has been restarted ${restartCount} times`;
  }
  return undefined;
}

/** @param pods Of the workload, with the new image. @param jobs Of a CronJob, begun since. */
export function judgeRollout({ kind, workload }: Target, pods: readonly Pod[], jobs: readonly Job[]): Verdict {
  for (const pod of pods) {
    const trouble = troubleOf(pod);
    if (trouble !== undefined) return verdict('ill', trouble);
  }
  const { generation = 0 } = workload.metadata;
  if (kind === 'CronJob') return judgeJobs(workload as CronJob, jobs);
  if (((workload as Deployment).status?.observedGeneration ?? 0) < generation) {
    return verdict('unsettled', `${kind} ${workload.metadata.name} has not been looked at yet`);
  }
  switch (kind) {
    case 'Deployment':
      return judgeDeployment(workload as Deployment);
    case 'StatefulSet':
      return judgeStatefulSet(workload as StatefulSet);
    case 'DaemonSet':
      return judgeDaemonSet(workload as DaemonSet);
  }
}

function judgeDeployment({ spec, status = {} }: Deployment): Verdict {
  const overdue = status.conditions?.find(({ reason }) => reason === 'ProgressDeadlineExceeded');
  if (overdue) return verdict('ill', overdue.message ?? 'the rollout does not get on');
  const { updatedReplicas = 0, availableReplicas = 0, readyReplicas = 0, replicas = 0 } = status;
  return judgeCounts({
    wanted: spec?.replicas ?? 1,
    updated: updatedReplicas,
    ready: Math.min(readyReplicas, availableReplicas),
    old: replicas - updatedReplicas,
  });
}

function judgeStatefulSet({ spec, status }: StatefulSet): Verdict {
  const wanted = spec?.replicas ?? 1;
  const { updatedReplicas = 0, readyReplicas = 0, currentRevision, updateRevision } = status ?? {};
  const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const isOver = currentRevision === updateRevision;
  // Once all are updated some versions count them as current, and none as updated.
  const updated = isOver ? wanted : updatedReplicas + Math.min(partition, wanted);
  return judgeCounts({ wanted, updated, ready: readyReplicas, old: 0 });
}

function judgeDaemonSet({ status }: DaemonSet): Verdict {
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberReady = 0 } = status ?? {};
  return judgeCounts({ wanted: desiredNumberScheduled, updated: updatedNumberScheduled, ready: numberReady, old: 0 });
}

interface Counts {
  readonly wanted: number;
  readonly updated: number;
  readonly ready: number;
  readonly old: number;
}

function judgeCounts({ wanted, updated, ready, old }: Counts): Verdict {
  if (wanted === 0) return verdict('well', 'no pod is wanted, so none could be judged');
  if (updated < wanted) return verdict('unsettled', `${updated} of ${wanted} pods are new`);
  if (old > 0) return verdict('unsettled', `${old} old pods are still there`);
  if (ready < wanted) return verdict('unsettled', `${ready} of ${wanted} pods are ready`);
  return verdict('well', `${ready} of ${wanted} pods are new and ready`);
}

/** It has no pods until its time comes: what its jobs come to is all there is to judge. */
function judgeJobs({ spec }: CronJob, jobs: readonly Job[]): Verdict {
  const has = (job: Job, type: string) =>
    job.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True');
  const failed = jobs.find((job) => has(job, 'Failed'));
  if (failed) return verdict('ill', `Job ${failed.metadata.name} has failed`);
  const done = jobs.find((job) => has(job, 'Complete'));
  if (done) return verdict('well', `Job ${done.metadata.name} is complete`);
  if (spec?.suspend) return verdict('well', 'it is suspended, so no job could be judged');
  if (jobs.length > 0) return verdict('unsettled', 'its first job runs');
  return { ...verdict('unsettled', 'its first job has not begun'), isEarly: true };
}
