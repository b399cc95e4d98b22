/** The workload whose image it is: where the image stands in it, why it could not be updated, and how it is written. */
import {
  type AuthorContext,
  type Container,
  CronJob,
  DaemonSet,
  Deployment,
  hasCode,
  type KubernetesObject,
  type PodSpec,
  type ResourceType,
  StatefulSet,
} from '@kurator/sdk';
import type { ImageUpdate } from './resources.ts';

/** Any of the kinds, as far as this operator looks at it. */
export type Workload = Deployment | StatefulSet | DaemonSet | CronJob;
type Kind = ImageUpdate['spec']['target']['kind'];

/** How kinds are told apart. */
const types: Readonly<Record<Kind, ResourceType<KubernetesObject>>> = {
  Deployment: Deployment as ResourceType<KubernetesObject>,
  StatefulSet: StatefulSet as ResourceType<KubernetesObject>,
  DaemonSet: DaemonSet as ResourceType<KubernetesObject>,
  CronJob: CronJob as ResourceType<KubernetesObject>,
};

const podSpecPaths: Readonly<Record<Kind, string>> = {
  Deployment: '/spec/template/spec',
  StatefulSet: '/spec/template/spec',
  DaemonSet: '/spec/template/spec',
  CronJob: '/spec/jobTemplate/spec/template/spec',
};

/** One container of one workload. */
export interface Target {
  readonly kind: Kind;
  readonly workload: Workload;
  readonly pod: PodSpec;
  readonly container: Container;
  /** Where its image stands, as JSON patches say it: `/spec/template/spec/containers/0`. */
  readonly path: string;
}

/** What was found: a target, or why there is none, with the field and the remedy. */
export function findTarget(update: ImageUpdate, { get }: Pick<AuthorContext, 'get'>): Target | string {
  const { kind, name, container: wanted } = update.spec.target;
  const workload = get(types[kind], name) as Workload | undefined;
  const pod = workload && podSpecOf(kind, workload);
  if (!workload || !pod) {
    return `spec.target: there is no ${kind} ${name} in this namespace; create it, or make an ImageUpdate for one that is there`;
  }
  const lists = { containers: pod.containers, initContainers: pod.initContainers ?? [] };
  const all = Object.entries(lists).flatMap(([list, containers]) =>
    containers.map((container, index) => ({ container, path: `${podSpecPaths[kind]}/${list}/${index}` })),
  );
  const names = all.map(({ container }) => container.name).join(', ');
  if (wanted === undefined && pod.containers.length > 1) {
    return `spec.target.container: ${kind} ${name} has several: give one of ${names}`;
  }
  const found = wanted === undefined ? all[0] : all.find(({ container }) => container.name === wanted);
  if (!found) return `spec.target.container: ${kind} ${name} has no container ${wanted}: give one of ${names}`;
  return { kind, workload, pod, ...found };
}

function podSpecOf(kind: Kind, workload: Workload): PodSpec | undefined {
  if (kind === 'CronJob') return (workload as CronJob).spec?.jobTemplate.spec?.template.spec;
  return (workload as Deployment).spec?.template.spec;
}

/** Why nobody would roll out what is written; undefined if somebody would. */
export function obstacleOf({ kind, workload }: Target): string | undefined {
  const { name, deletionTimestamp } = workload.metadata;
  if (deletionTimestamp) return `${kind} ${name} is being deleted`;
  if (kind === 'Deployment' && (workload as Deployment).spec?.paused) {
    return `Deployment ${name} is paused: kubectl rollout resume deployment/${name}`;
  }
  const strategy = (workload as StatefulSet).spec?.updateStrategy;
  if ((kind === 'StatefulSet' || kind === 'DaemonSet') && strategy?.type === 'OnDelete') {
    return `${kind} ${name} replaces its pods only when somebody deletes them: set spec.updateStrategy.type to RollingUpdate`;
  }
  return undefined;
}

/**
 * Replaces the image, if it still is what it was in this very container. False if it is not: whatever is there now is seen in the next
 * pass.
 */
export async function writeImage(
  { kind, workload, container, path }: Target,
  { from, to }: { readonly from: string; readonly to: string },
  { client, signal }: Pick<AuthorContext, 'client' | 'signal'>,
): Promise<boolean> {
  const { uid, name, namespace = '' } = workload.metadata;
  const patch = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: `${path}/name`, value: container.name },
    { op: 'test', path: `${path}/image`, value: from },
    { op: 'replace', path: `${path}/image`, value: to },
  ];
  try {
    await client.patch(types[kind], { name, namespace }, patch, { type: 'json', signal });
    return true;
  } catch (error) {
    // So the server calls a patch whose test fails, and names no field; what it really refuses has its fields named.
    if (hasCode(error, 'KUR_CLIENT_INVALID') && error.causes.length === 0) return false;
    throw error;
  }
}
