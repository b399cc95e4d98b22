/** A pod as the brain sees it. */
import type { Container, ContainerStatus, Pod } from '@kurator/sdk';
import type { ContainerObservation, InstanceObservation, UsageObservation } from '../brain/observation.ts';
import { timeOf } from './moment.ts';
import { revisionLabels } from './revision.ts';

/** Translates a pod; what the kubelet has not said yet stays unsaid. */
export function observeInstance(pod: Pod, usage?: UsageObservation): InstanceObservation {
  const { metadata, spec, status } = pod;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready && ready.status !== 'Unknown' ? ready.status === 'True' : undefined;
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const readySince = isReady === undefined ? undefined : timeOf(ready?.lastTransitionTime);
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    ...(spec?.nodeName && { node: spec.nodeName }),
    revision: revisionLabels.map((label) => metadata.labels?.[label]).find((hash) => hash !== undefined) ?? '',
    createdAt: timeOf(metadata.creationTimestamp) ?? 0,
    terminating: metadata.deletionTimestamp !== undefined,
    ...(isReady !== undefined && { ready: isReady }),
    ...(readySince !== undefined && { readySince }),
    containers: containersOf(pod),
    ...(scheduled?.status === 'False' && {
      unschedulable: { since: timeOf(scheduled.lastTransitionTime) ?? 0, message: scheduled.message ?? '' },
    }),
    ...(usage && { usage }),
  };
}

/** Init containers that end are no crash: only what runs for as long as the pod counts, and what can't start. */
function containersOf({ spec, status }: Pod): ContainerObservation[] {
  const lasting = new Set((spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const initial = (status?.initContainerStatuses ?? []).filter(
    (container) => lasting.has(container.name) || container.state?.waiting?.reason,
  );
  return [...initial, ...(status?.containerStatuses ?? [])].map(observeContainer);
}

const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';

function observeContainer({ name, restartCount, state, lastState }: ContainerStatus): ContainerObservation {
  const ended = state?.terminated ?? lastState?.terminated;
  const startedAt = timeOf(state?.running?.startedAt ?? ended?.startedAt);
  return {
    name,
    state: state?.running ? 'running' : state?.terminated ? 'terminated' : 'waiting',
    ...(state?.waiting?.reason && { waiting: state.waiting.reason }),
    ...(startedAt !== undefined && { startedAt }),
    restarts: restartCount,
    ...(ended && {
      ended: {
        at: timeOf(ended.finishedAt) ?? 0,
        exitCode: ended.exitCode,
        ...(ended.reason && { reason: ended.reason }),
      },
    }),
  };
}
