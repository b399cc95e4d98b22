/** Whether the operator's namespace may go with it: not if there is something else in it. */
import {
  type Client,
  ConfigMap,
  DaemonSet,
  Deployment,
  Job,
  type KubernetesObject,
  PersistentVolumeClaim,
  Pod,
  type ResourceType,
  Secret,
  StatefulSet,
} from '@kurator/client';
import { type OperatorDescription, selectorOf } from '../manifests/description.ts';

/** What people would miss. */
const kinds: readonly ResourceType<KubernetesObject>[] = [
  Deployment,
  StatefulSet,
  DaemonSet,
  Job,
  Pod,
  PersistentVolumeClaim,
  ConfigMap,
  Secret,
];

/** What is in the namespace besides the operator: `Deployment web`. */
export async function othersIn(
  client: Client,
  namespace: string,
  description: OperatorDescription,
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = [];
  for (const type of kinds) {
    const { items } = await client.list<KubernetesObject>(type, { namespace, metadataOnly: true, signal });
    const others = items.filter(({ metadata }) => !isOwn(type.kind, metadata, description));
    found.push(...others.map(({ metadata }) => `${type.kind} ${metadata.name}`));
  }
  return found;
}

function isOwn(kind: string, metadata: KubernetesObject['metadata'], description: OperatorDescription): boolean {
  // Every namespace has this one.
  if (kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt') return true;
  if (kind === 'Secret' && metadata.name === `${description.name}-webhooks`) return true;
  return isLabelled(metadata, description);
}

function isLabelled({ labels = {} }: KubernetesObject['metadata'], description: OperatorDescription): boolean {
  return Object.entries(selectorOf(description)).every(([key, value]) => labels[key] === value);
}
