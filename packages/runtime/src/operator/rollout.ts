/** How far a workload is, in one condition: what an operator that makes Deployments should say of them. */
import type { ContainerStatus, Deployment, Pod, StatefulSet } from '@kurator/client';
import type { ConditionClaim } from '../writing/condition.ts';

/**
 * `True` when all replicas are ready in their latest form; otherwise `False` with the reason: that it is under way, or
 * what keeps a pod from running (an image that can't be pulled, a container that crashes, no node with room for it),
 * which the workload's own status tells late or not at all.
 *
 * @param pods The workload's pods, for example from `list`.
 * @param type The condition's type; `Ready` unless given.
 */
export function rolloutCondition(
  workload: Deployment | StatefulSet,
  pods: readonly Pod[],
  type = 'Ready',
): ConditionClaim {
  const { metadata, spec, status = {} } = workload;
  const { replicas: wanted = 1 } = spec ?? {};
  const { readyReplicas: ready = 0, updatedReplicas: updated = 0, observedGeneration } = status;
  const count = `${ready} of ${wanted} replicas are ready`;
  const fault = faultOf(workload, pods);
  if (fault) return { type, status: 'False', reason: fault.reason, message: `${count}; ${fault.message}` };
  const isSeen = observedGeneration !== undefined && observedGeneration >= (metadata.generation ?? 0);
  const isDone = isSeen && ready >= wanted && updated >= wanted && (status.replicas ?? 0) <= wanted;
  return isDone
    ? { type, status: 'True', reason: 'AllReplicasReady', message: count }
    : { type, status: 'False', reason: 'RollingOut', message: count };
}

interface Fault {
  readonly reason: string;
  readonly message: string;
}

function faultOf({ status }: Deployment | StatefulSet, pods: readonly Pod[]): Fault | undefined {
  for (const pod of pods) {
    const fault = pod.metadata.deletionTimestamp ? undefined : podFault(pod);
    if (fault) return fault;
  }
  const failure = status?.conditions?.find((one) => isFailure(one));
  return failure && { reason: failure.reason ?? failure.type, message: failure.message ?? failure.type };
}

/** No pod could even be made, or the time for progress is over. */
function isFailure({ type, status, reason }: { type: string; status: string; reason?: string }): boolean {
  return (type === 'ReplicaFailure' && status === 'True') || reason === 'ProgressDeadlineExceeded';
}

function podFault({ metadata, status = {} }: Pod): Fault | undefined {
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = status;
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const fault = containerFault(container);
    if (fault) return { reason: fault.reason, message: `pod ${metadata.name}: ${fault.message}` };
  }
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.reason !== 'Unschedulable') return undefined;
  return {
    reason: 'Unschedulable',
    message: `pod ${metadata.name}: ${scheduled.message ?? 'no node has room for it'}`,
  };
}

// Told in words of our own: the kubelet's change with every try, and each change would be a write of the status.
const faults: Readonly<Record<string, { reason: string; message: (container: ContainerStatus) => string }>> = {
  ErrImagePull: { reason: 'ImagePullBackOff', message: ({ image }) => `image ${image} can't be pulled` },
  ImagePullBackOff: { reason: 'ImagePullBackOff', message: ({ image }) => `image ${image} can't be pulled` },
  ErrImageNeverPull: { reason: 'ErrImageNeverPull', message: ({ image }) => `image ${image} is not on the node` },
  InvalidImageName: { reason: 'InvalidImageName', message: ({ image }) => `"${image}" is no name of an image` },
  CrashLoopBackOff: { reason: 'CrashLoopBackOff', message: ({ name }) => `container ${name} ends again and again` },
  CreateContainerConfigError: { reason: 'CreateContainerConfigError', message: waitingMessage },
  CreateContainerError: { reason: 'CreateContainerError', message: waitingMessage },
  RunContainerError: { reason: 'RunContainerError', message: waitingMessage },
};

function containerFault(container: ContainerStatus): Fault | undefined {
  const fault = faults[container.state?.waiting?.reason ?? ''];
  return fault && { reason: fault.reason, message: fault.message(container) };
}

function waitingMessage({ name, state }: ContainerStatus): string {
  return `container ${name}: ${state?.waiting?.message ?? "it can't be started"}`;
}
