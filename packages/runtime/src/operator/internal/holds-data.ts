/** Which kinds hold what nobody can make again: an operator deletes no child of these for being absent from a set. */
import type { ResourceType } from '@kurator/client';
import { groupOf } from '../../controller/mapping.ts';

/** Kubernetes' own groups. What is in another group is a custom resource, and nobody knows what hangs on it. */
const builtIn = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

const withData = new Set([
  'PersistentVolumeClaim',
  'PersistentVolume',
  'Secret',
  // Its claims may go with it, by its retention policy.
  'StatefulSet',
  // All that is in them, or of them, goes too.
  'Namespace',
  'CustomResourceDefinition',
]);

export function holdsData({ apiVersion, kind }: Pick<ResourceType, 'apiVersion' | 'kind'>): boolean {
  return withData.has(kind) || !builtIn.has(groupOf(apiVersion));
}
