/**
 * Lets go of what a Kurator has made and describes no more (`spec.targetRef` instead of `spec.service`, or another kind of
 * workload): all of it stays as it is, and no pod is touched. What is left is our own label, by which it can be taken up
 * again. The switch does not hold it up: it changes nothing that runs, and who is told so may delete the Kurator next.
 */

import { ConfigMap, Deployment, type KubernetesObject, type ResourceType, Service, StatefulSet } from '@kurator/sdk';
import type { Context, Pass } from '../../memory/pass.ts';
import type { Kurator } from '../../resources/kurator.ts';
import { targetOf } from '../../resources/lookup.ts';

const workloads: readonly ResourceType<KubernetesObject>[] = [Deployment, StatefulSet];
const kinds: readonly ResourceType<KubernetesObject>[] = [...workloads, Service, ConfigMap];

/** A child that is its Kurator's no more. */
interface Left {
  readonly type: ResourceType<KubernetesObject>;
  readonly name: string;
}

/** Releases everything that this Kurator still owns and doesn't describe, and says so; where that is nothing this costs no request. */
export async function releaseUndescribed({ kurator, context }: Pick<Pass, 'kurator' | 'context'>): Promise<void> {
  const { kind, name } = targetOf(kurator);
  for (const { type, name: child } of undescribed(kurator, context)) {
    if (!(await context.release(type, child))) continue;
    const what = `${type.kind} ${child}`;
    const isLeft = workloads.includes(type) && what !== `${kind} ${name}`;
    const instead = kurator.spec.service ? `service is a ${kind} now` : 'targetRef took the place of service';
    const note = `${instead}: ${what} stays as it is, and is not ours any more`;
    const left = isLeft ? `; nobody looks after ${what} any more` : '';
    context.event(isLeft ? 'Warning' : 'Normal', 'HandedOver', `${note}${left}`, { action: 'HandOver' });
  }
}

/** What it owns and doesn't describe. Of a service that it describes, the set that is applied says which Services and files those are. */
export function undescribed(kurator: Kurator, { owned }: Pick<Context, 'owned'>): Left[] {
  const { kind } = targetOf(kurator);
  const types = kurator.spec.service ? workloads.filter((type) => type.kind !== kind) : kinds;
  return types.flatMap((type) =>
    owned(type)
      .filter(({ metadata }) => !metadata.deletionTimestamp)
      .map(({ metadata }) => ({ type, name: metadata.name })),
  );
}
