/** Whose service an object belongs to: from what has changed to the Kurators that have to know. */
import { type KubernetesObject, type Node, Pod, ReplicaSet, type Service } from '@kurator/sdk';
import { Kurator } from '../resources/kurator.ts';
import { kuratorLabel } from '../serving/pod-template.ts';
import { type Look, targetKey } from './scene.ts';

export function kuratorsOf(kind: string, { namespace, name }: KubernetesObject['metadata'], look: Look): Kurator[] {
  return look.byIndex(Kurator, 'target', targetKey(namespace, kind, name));
}

/** By its ReplicaSet's Deployment, or by its StatefulSet. */
export function kuratorsOfPod({ metadata }: Pod, look: Look): Kurator[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind === 'StatefulSet') return kuratorsOf('StatefulSet', { ...metadata, name: owner.name }, look);
  if (owner?.kind !== 'ReplicaSet') return [];
  const set = look.get(ReplicaSet, { name: owner.name, namespace: metadata.namespace });
  const deployment = set?.metadata.ownerReferences?.find(({ controller }) => controller);
  return deployment ? kuratorsOf('Deployment', { ...metadata, name: deployment.name }, look) : [];
}

export function kuratorsOnNode({ metadata }: Node, look: Look): Kurator[] {
  const found = look.byIndex(Pod, 'node', metadata.name).flatMap((pod) => kuratorsOfPod(pod, look));
  return [...new Map(found.map((kurator) => [kurator.metadata.uid, kurator])).values()];
}

/**
 * Those that check through a Service of this one's namespace: which one it is may just have changed; and the one that it
 * is meant for.
 */
export function kuratorsThrough({ metadata: { namespace = '', labels } }: Service, look: Look): readonly Kurator[] {
  const named = look.get(Kurator, { name: labels?.[kuratorLabel] ?? '', namespace });
  return [...look.byIndex(Kurator, 'throughService', namespace), ...(named ? [named] : [])];
}
