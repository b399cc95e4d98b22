/** Judges by what Kubernetes itself says of a workload: asked only while something is judged, so nobody has to watch all pods. */
import { type AuthorContext, type CronJob, isConflict, isNotFound, Job, Pod } from '@kurator/sdk';
import { digestOf } from '../brain/image-text.ts';
import type { Target } from '../workload.ts';
import type { Judge } from './judge.ts';
import { judgeRollout, podsWith, troubleOf } from './rollout.ts';

type Asking = Pick<AuthorContext, 'client' | 'signal'>;

/** A CronJob with nothing to run for a month is judged by its next job, whenever that is. */
export const judgeByRollout: Judge = async ({ target, image }, context) => {
  const jobs = target.kind === 'CronJob' ? await jobsOf(target.workload as CronJob, context) : [];
  const pods = podsWith(await podsOf(target, context), target.container.name, image);
  const own = jobs.filter(({ spec }) =>
    [...(spec?.template.spec?.containers ?? []), ...(spec?.template.spec?.initContainers ?? [])].some(
      (container) => container.name === target.container.name && container.image === image,
    ),
  );
  return judgeRollout(target, pods, own);
};

/** The digest that pods of the workload agree to run; undefined where they don't, or don't say. */
export async function runningDigest(target: Target, context: Asking): Promise<string | undefined> {
  const { name, image = '' } = target.container;
  const pods = podsWith(await podsOf(target, context), name, image);
  const digests = pods.flatMap(({ status }) =>
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
      .filter((container) => container.name === name)
      .flatMap(({ imageID }) => digestOf(imageID) ?? []),
  );
  return new Set(digests).size === 1 ? digests[0] : undefined;
}

/**
 * Whether pods still run what was rolled back. Those of a StatefulSet that never became ready are deleted: it waits for them as long as
 * they are there, whatever its template says by now.
 */
export async function clearLeftovers(target: Target, image: string, context: Asking): Promise<boolean> {
  const { kind, container } = target;
  if (kind === 'CronJob') return false;
  const left = podsWith(await podsOf(target, context), container.name, image);
  if (kind === 'StatefulSet') {
    for (const { metadata, status } of left) {
      const isReady = status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      if (isReady && troubleOf({ metadata, status } as Pod) === undefined) continue;
      const { name, namespace, uid = '' } = metadata;
      await context.client
        .delete(Pod, { name, namespace }, { preconditions: { uid }, signal: context.signal })
        .catch(ignoreGone);
    }
  }
  return left.length > 0;
}

async function podsOf({ workload, kind }: Target, { client, signal }: Asking): Promise<Pod[]> {
  const { namespace = '', uid } = workload.metadata;
  if (kind === 'CronJob') {
    const jobs = new Set((await jobsOf(workload as CronJob, { client, signal })).map(({ metadata }) => metadata.uid));
    const { items } = await client.list(Pod, { namespace, labelSelector: 'batch.kubernetes.io/job-name', signal });
    return items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => jobs.has(owner.uid)));
  }
  const { selector } = workload.spec as { selector: Selector };
  const { items } = await client.list(Pod, { namespace, labelSelector: selectorText(selector), signal });
  // A Deployment's pods belong to its ReplicaSets: the selector has to do there.
  if (kind === 'Deployment') return items;
  return items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
}

async function jobsOf({ metadata }: CronJob, { client, signal }: Asking): Promise<Job[]> {
  const { namespace = '', uid } = metadata;
  const { items } = await client.list(Job, { namespace, signal });
  return items.filter((job) => job.metadata.ownerReferences?.some((owner) => owner.uid === uid));
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

function selectorText({ matchLabels = {}, matchExpressions = [] }: Selector): string {
  const words: Readonly<Record<string, (key: string, values: string) => string>> = {
    In: (key, values) => `${key} in (${values})`,
    NotIn: (key, values) => `${key} notin (${values})`,
    Exists: (key) => key,
    DoesNotExist: (key) => `!${key}`,
  };
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(
    ({ key, operator, values = [] }) => words[operator]?.(key, values.join(',')) ?? key,
  );
  return [...labels, ...others].join(',');
}

const ignoreGone = (error: unknown) => {
  if (!isNotFound(error) && !isConflict(error)) throw error;
};
