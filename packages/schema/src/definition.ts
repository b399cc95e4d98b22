/** What an author declares of a kind, in the form in which the rest of this package reads it. */
import type { Condition, KubernetesObject, ResourceType } from '@kurator/client';
import type { z } from 'zod';
import type { Cleanup } from './cleanup.ts';
import type { Columns } from './columns.ts';
import type { ValidationRule } from './mark.ts';

/** Whether objects live in a namespace, or belong to the whole cluster. */
export type Scope = 'Namespaced' | 'Cluster';

/** What every status has, beside what the author declares. */
export interface CommonStatus {
  conditions?: Condition[];
  /** The `metadata.generation` that the status speaks about. */
  observedGeneration?: number;
}

/** An object of a custom kind. */
export interface CustomObject<Spec = unknown, Status = unknown> extends KubernetesObject {
  spec: Spec;
  status?: Status & CommonStatus;
}

/** What `kubectl scale` and autoscalers read and write. */
export interface ScalePaths {
  /** Where the wanted number is: `.spec.replicas`. */
  specReplicas: string;
  /** Where the present number is: `.status.replicas`. */
  statusReplicas: string;
  /** Where the label selector of the pods is, as text: `.status.selector`. Autoscalers need it. */
  selector?: string;
}

/** The part of an object that conversion may change: all but its identity. */
export interface Convertible<Spec = unknown, Status = unknown> {
  spec: Spec;
  status?: (Status & CommonStatus) | undefined;
  /** To keep what the other version has no field for. */
  annotations?: Record<string, string> | undefined;
}

/** How objects of an older or newer version become objects of the version that the code works with, and back. */
export interface Conversion {
  // biome-ignore lint/suspicious/noExplicitAny: typed where it is declared; here all versions are in one list.
  toHub(object: Convertible<any, any>): Convertible<any, any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  fromHub(object: Convertible<any, any>): Convertible<any, any>;
}

/** Everything that is declared of one version. */
export interface VersionDefinition {
  readonly name: string;
  readonly spec: z.ZodType;
  readonly status?: z.ZodType;
  readonly served: boolean;
  /** Exactly one version is stored. */
  readonly storage: boolean;
  /** A text is the warning that users of this version get. */
  readonly deprecated: boolean | string;
  readonly columns: Columns;
  readonly scale?: ScalePaths;
  readonly selectableFields: readonly string[];
  readonly rules: readonly ValidationRule[];
  readonly conversion?: Conversion;
}

/** Everything that is declared of a kind. */
export interface ResourceDefinition {
  readonly group: string;
  /** The version that the code works with; all others are converted to it and from it. */
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: Scope;
  readonly description?: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** What `metadata.name` must be, beyond what Kubernetes demands. */
  readonly name?: z.ZodType;
  /** Of the version that the code works with. */
  readonly spec: z.ZodType;
  /** Of the version that the code works with. */
  readonly status?: z.ZodType;
  /** The version that the code works with comes first. */
  readonly versions: readonly VersionDefinition[];
  readonly cleanup: Cleanup;
}

/** A custom kind: a ResourceType for client, cache and writer, and everything that is declared of it. */
export interface Resource<Spec = unknown, Status = unknown> extends ResourceType<CustomObject<Spec, Status>> {
  readonly definition: ResourceDefinition;
}

/** The objects of a resource. */
export type ObjectOf<R> = R extends ResourceType<infer T> ? T : never;

/** The spec of a resource's objects. */
export type SpecOf<R> = ObjectOf<R> extends CustomObject<infer Spec> ? Spec : never;

/**
 * A value as it comes out of JSON: what zod calls optional is absent then, never undefined. So it fits the types of
 * Kubernetes' own objects, also under `exactOptionalPropertyTypes`.
 */
export type FromJson<T> = T extends Scalar
  ? T
  : T extends object
    ? { [Key in keyof T]: FromJson<Exclude<T[Key], undefined>> }
    : T;

type Scalar = string | number | boolean | null | undefined;
