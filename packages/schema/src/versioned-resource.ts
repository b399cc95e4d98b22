/** A resource with several versions: how another one is declared, and how it is addressed. */
import type { ResourceType } from '@kurator/client';
import type { z } from 'zod';
import type { Convertible, CustomObject, FromJson, Resource, ResourceDefinition } from './definition.ts';
import { SchemaError } from './error.ts';
import { checkName } from './names.ts';
import { type DeclaredVersion, versionDefinition } from './version.ts';

/** The objects of versions, by the versions' names. */
export type Versions = Record<string, CustomObject>;

/** Another version, and how its objects become objects of the version that the code works with, and back. */
export interface OtherVersion<Spec extends z.ZodType, Status extends z.ZodType, HubSpec, HubStatus>
  extends DeclaredVersion<Spec, Status> {
  /**
   * Without it, objects of both versions are the same but for their `apiVersion`. What it gives must be valid; defaults
   * are not filled in.
   */
  convert?: {
    toHub(
      object: Convertible<FromJson<z.output<Spec>>, Partial<FromJson<z.output<Status>>>>,
    ): Convertible<HubSpec, HubStatus>;
    fromHub(
      object: Convertible<HubSpec, HubStatus>,
    ): Convertible<FromJson<z.output<Spec>>, Partial<FromJson<z.output<Status>>>>;
  };
}

declare const specInput: unique symbol;

/** A custom kind that may have several versions. */
export interface VersionedResource<
  Spec = unknown,
  Status = unknown,
  Others extends Versions = Record<never, never>,
  Input = Spec,
> extends Resource<Spec, Status> {
  /** The same kind with another version, older or newer. */
  withVersion<
    Name extends string,
    OtherSpec extends z.ZodType<object>,
    OtherStatus extends z.ZodType<object> = z.ZodType<object>,
  >(
    name: Name,
    version: OtherVersion<OtherSpec, OtherStatus, Spec, Status>,
  ): VersionedResource<
    Spec,
    Status,
    Others & Record<Name, CustomObject<FromJson<z.output<OtherSpec>>, Partial<FromJson<z.output<OtherStatus>>>>>,
    Input
  >;
  /** The resource type of another version, to read and write its objects. */
  at<Name extends keyof Others & string>(name: Name): ResourceType<Others[Name]>;
  /** The spec as people write it, without what has a default. Exists for the type checker only. */
  readonly [specInput]?: Input;
}

/** The spec of a resource as people write it: what has a default may be left out. */
export type InputOf<R> =
  R extends VersionedResource<infer _Spec, infer _Status, infer _Others, infer Input> ? Input : never;

/** Makes a resource of its definition. */
export function versioned<Spec, Status, Others extends Versions, Input>(
  definition: ResourceDefinition,
): VersionedResource<Spec, Status, Others, Input> {
  const { group, version, kind, plural, scope } = definition;
  const type = { kind, plural, namespaced: scope === 'Namespaced' };
  return {
    ...type,
    apiVersion: `${group}/${version}`,
    definition,
    withVersion: (name, declared) => versioned(withAnother(definition, name, declared)),
    at: (name) => ({ ...type, apiVersion: `${group}/${name}` }),
  };
}

function withAnother(
  definition: ResourceDefinition,
  name: string,
  declared: DeclaredVersion<z.ZodType, z.ZodType> & { convert?: VersionConversion },
): ResourceDefinition {
  checkName('version', name);
  if (definition.versions.some((version) => version.name === name)) {
    const remedy = 'give each version once';
    throw new SchemaError('KUR_SCHEMA_VERSION', `version ${name} is there already; ${remedy}`, { remedy });
  }
  const { convert } = declared;
  const other = { ...versionDefinition(name, declared), ...(convert ? { conversion: convert } : {}) };
  const others = definition.versions.map((version) => (other.storage ? { ...version, storage: false } : version));
  return { ...definition, versions: [...others, other] };
}

type VersionConversion = NonNullable<ResourceDefinition['versions'][number]['conversion']>;
