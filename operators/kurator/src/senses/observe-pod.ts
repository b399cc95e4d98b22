/** A pod as the brain sees it. */
import type { Container, ContainerStatus, Pod, PodCondition } from '@kurator/sdk';
import type { ContainerObservation, InstanceObservation, UsageObservation } from '../brain/observation.ts';
import { revisionLabels } from '../resources/revision.ts';
import { timeOf } from './observe-node.ts';

/** Translates a pod; what the kubelet has not said yet stays unsaid. */
export function observeInstance(
  pod: Pod,
  usage?: UsageObservation,
  versionOf: (revision: string) => string = (revision) => revision,
): InstanceObservation {
  const { metadata, spec } = pod;
  const ready = readinessOf(pod);
  const isReady = ready && ready.status !== 'Unknown' ? ready.status === 'True' : undefined;
  const scheduled = conditionOf(pod, 'PodScheduled');
  const readySince = isReady === undefined ? undefined : timeOf(ready?.lastTransitionTime);
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    ...(spec?.nodeName && { node: spec.nodeName }),
    revision: versionOf(revisionLabels.flatMap((label) => metadata.labels?.[label] ?? []).at(0) ?? ''),
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

/**
 * Whether it is ready by its own word. Where a node was not heard of for a while, somebody else has taken that word from all
 * of its pods, and a kubelet that is back may take a minute to give it to them again.
 */
function readinessOf(pod: Pod): PodCondition | undefined {
  const ready = conditionOf(pod, 'Ready');
  const containers = conditionOf(pod, 'ContainersReady');
  const gates = pod.spec?.readinessGates ?? [];
  const isOwnWord = ready?.status !== 'False' || containers?.status !== 'True' || gates.length > 0;
  return isOwnWord ? ready : containers;
}

function conditionOf({ status }: Pod, wanted: string): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
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

function observeContainer({ name, image, restartCount, state, lastState }: ContainerStatus): ContainerObservation {
  const ended = state?.terminated ?? lastState?.terminated;
  const startedAt = timeOf(state?.running?.startedAt ?? ended?.startedAt);
  return {
    name,
    state: state?.running ? 'running' : state?.terminated ? 'terminated' : 'waiting',
    ...(state?.waiting?.reason && { waiting: state.waiting.reason }),
    ...(image && /image/i.test(state?.waiting?.reason ?? '') && { registry: registryOf(image) }),
    ...(isImageAtFault(state?.waiting) && { isImageAtFault: true }),
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

const ofImageAlone: ReadonlySet<string> = new Set(['InvalidImageName', 'ErrImageNeverPull']);
const ofPulls: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);
const isRefusal = /not found|manifest unknown|name unknown|unauthorized|authorization failed|denied|forbidden/i;
/** What is said of a registry that is not reached, or not well: that is so for every image. */
const isOfRegistry =
  /time(d )?-?out|deadline exceeded|connection (refused|reset)|unreachable|no such host|no route|i\/o|EOF|x509|too ?many ?requests|\b5\d\d [A-Z]/i;

/** Whether a registry has answered that there is no such image, or that it is nobody's to have; by what the kubelet quotes. */
function isImageAtFault({ reason = '', message = '' }: { reason?: string; message?: string } = {}): boolean {
  if (ofImageAlone.has(reason)) return true;
  return ofPulls.has(reason) && isRefusal.test(message) && !isOfRegistry.test(message);
}

/** Without a host in front, it is the hub's. */
function registryOf(image: string): string {
  const [host = ''] = image.split('/');
  return image.includes('/') && /[.:]|^localhost$/.test(host) ? host : 'docker.io';
}
