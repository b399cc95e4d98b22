/**
 * Lets go of what a Kurator has made once it describes no service any more (`spec.targetRef` instead of `spec.service`):
 * all of it stays as it is, and no pod is touched. What is left is our own label, by which it can be taken up again.
 */
import { ConfigMap, Deployment, type KubernetesObject, type ResourceType, Service, StatefulSet } from '@kurator/sdk';
import type { Round } from '../healing/case.ts';
import { targetOf } from '../healing/scene.ts';

const kinds = [Deployment, StatefulSet, Service, ConfigMap] as const;
const workloads: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet']);

/** Hands over everything that this Kurator still owns, and says so; where it owns nothing this costs no request. */
export async function handOver({ kurator, context }: Round): Promise<void> {
  const { kind, name } = targetOf(kurator);
  for (const type of kinds as readonly ResourceType<KubernetesObject>[]) {
    const children = context.owned(type).filter(({ metadata }) => !metadata.deletionTimestamp);
    for (const { metadata } of children) {
      if (!(await context.release(type, metadata.name))) continue;
      const what = `${type.kind} ${metadata.name}`;
      const isLeft = workloads.has(type.kind) && what !== `${kind} ${name}`;
      const note = `targetRef took the place of service: ${what} stays as it is, and is not ours any more`;
      const left = isLeft ? `; nobody looks after ${what} any more` : '';
      context.event(isLeft ? 'Warning' : 'Normal', 'HandedOver', `${note}${left}`, { action: 'HandOver' });
    }
  }
}
