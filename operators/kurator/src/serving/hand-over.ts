/**
 * Lets go of what a Kurator has made once it describes no service any more (`spec.targetRef` instead of `spec.service`):
 * all of it stays as it is, and no pod is touched. What is left is the label, by which it can be taken up again.
 */
import { ConfigMap, Deployment, type KubernetesObject, type ResourceType, Service, StatefulSet } from '@kurator/sdk';
import { fieldManager, type Round } from '../healing/case.ts';
import { targetOf } from '../healing/scene.ts';
import { withoutFields } from './managed-fields.ts';
import { kuratorLabel } from './pod-template.ts';

const kinds = [Deployment, StatefulSet, Service, ConfigMap] as const;
const workloads: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet']);

/** Set by the SDK on what it has applied for an owner. */
const managedByLabel = 'kurator.dev/managed-by';

/** Hands over everything that this Kurator still owns, and says so; where it owns nothing this costs no request. */
export async function handOver({ kurator, context }: Round): Promise<void> {
  const { kind, name } = targetOf(kurator);
  for (const type of kinds as readonly ResourceType<KubernetesObject>[]) {
    const children = context.owned(type).filter(({ metadata }) => !metadata.deletionTimestamp);
    for (const { metadata } of children) {
      if (!(await release(type, metadata, kurator.metadata.uid, context))) continue;
      const what = `${type.kind} ${metadata.name}`;
      const isLeft = workloads.has(type.kind) && what !== `${kind} ${name}`;
      const note = `targetRef took the place of service: ${what} stays as it is, and is not ours any more`;
      const left = isLeft ? `; nobody looks after ${what} any more` : '';
      context.event(isLeft ? 'Warning' : 'Normal', 'HandedOver', `${note}${left}`, { action: 'HandOver' });
    }
  }
}

/** False if it is gone, or is not the Kurator's any more: the cache may not have heard of it yet. */
async function release(
  type: ResourceType<KubernetesObject>,
  { name, namespace }: KubernetesObject['metadata'],
  owner: string | undefined,
  { client, signal }: Round['context'],
): Promise<boolean> {
  const live = await client.find(type, { name, namespace }, { signal });
  const { ownerReferences = [], managedFields = [], uid, resourceVersion } = live?.metadata ?? {};
  const others = ownerReferences.filter((reference) => reference.uid !== owner);
  if (!live || others.length === ownerReferences.length) return false;
  const patch = {
    metadata: {
      uid,
      resourceVersion,
      ownerReferences: others,
      labels: { [managedByLabel]: null },
      // Else whoever has it now would be told, at each server-side apply, that the fields are ours.
      managedFields: withoutFields(managedFields, fieldManager, (fields) => ({
        'f:metadata': {
          'f:labels': { [`f:${kuratorLabel}`]: fields['f:metadata']?.['f:labels']?.[`f:${kuratorLabel}`] },
        },
      })),
    },
  };
  await client.patch(type, { name, namespace }, patch, { fieldManager, signal });
  return true;
}
