/** How objects are found in the caches: by which indexes, and which workload and which services a Kurator names. */
import { Deployment, type Lookup, type ObjectReference, type ResourceType, StatefulSet } from '@kurator/sdk';
import type { Kurator } from './kurator.ts';

/** By which values objects are found: see the indexes that the operator declares. */
export type Index = 'target' | 'dependsOn' | 'throughService' | 'owner' | 'node' | 'service';

/** Reads the caches. */
export type Look = Pick<Lookup<Index>, 'get' | 'list' | 'byIndex'>;

export type Workload = Deployment | StatefulSet;

/** Which workload a Kurator is about. */
export interface Target {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly name: string;
  readonly type: ResourceType<Workload>;
  readonly owned: boolean;
}

/** The workload that it has made, or that it has adopted. */
export function targetOf({ metadata, spec }: Kurator): Target {
  const kind = spec.service?.kind ?? spec.targetRef?.kind ?? 'Deployment';
  return {
    kind,
    name: spec.targetRef?.name ?? metadata.name,
    type: (kind === 'Deployment' ? Deployment : StatefulSet) as ResourceType<Workload>,
    owned: spec.service !== undefined,
  };
}

/** Under this, the Kurators of a workload are found. */
export function targetKey(namespace: string | undefined, kind: string, name: string): string {
  return `${namespace}/${kind}/${name}`;
}

/** `namespace/name`, as the brain calls a service. */
export function nameOf({ metadata }: Pick<Kurator, 'metadata'>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Where the Kurator of a service is: the other way round. */
export function referenceTo(service: string): ObjectReference & { readonly namespace: string } {
  const [namespace = '', name = ''] = service.split('/');
  return { name, namespace };
}

/** Full names of what a Kurator depends on. */
export function dependsOnOf({ metadata, spec }: Kurator): string[] {
  return spec.dependsOn.map((one) => (one.includes('/') ? one : `${metadata.namespace}/${one}`));
}

/** Whether a check asks the Service in front of the pods. */
export const isThroughService = ({ through }: Kurator['spec']['checks'][number]) => through === 'service';
