/** Conversion between the versions of a kind: every version to the stored one and back, all others by way of it. */
import type { KubernetesObject, ObjectMeta } from '@kurator/client';

/**
 * An object as a conversion gives it: all but `apiVersion`, `kind` and metadata, which are kept for it. Only labels and
 * annotations may differ; given here, they replace those that the object had.
 */
export type Converted<T extends KubernetesObject> = Omit<T, keyof KubernetesObject> & {
  apiVersion?: string;
  kind?: string;
  metadata?: Partial<ObjectMeta>;
};

/** How one version is turned into the stored one, and back. What is lost on the way is lost for its users: keep it somewhere. */
export interface VersionConversion<Stored extends KubernetesObject, Other extends KubernetesObject> {
  /** Throw `deny('spec.size', 'must be a number')` where it can't be done; the object can't be read until it is mended. */
  toStorage(object: Other): Converted<Stored>;
  /** See {@link VersionConversion.toStorage}. */
  fromStorage(object: Stored): Converted<Other>;
}

/** By the name of the version (`v1alpha1`): how it is turned into the stored one, and back. */
export type Conversions<Stored extends KubernetesObject, Others extends Record<string, KubernetesObject>> = {
  readonly [Version in keyof Others]: VersionConversion<Stored, Others[Version]>;
};
