/** Objects of one version as objects of another, by way of the version that the code works with. */
import type { KubernetesObject } from '@kurator/client';
import type { CommonStatus, Convertible, Resource, VersionDefinition } from './definition.ts';
import { SchemaError } from './error.ts';

interface AnyObject extends KubernetesObject {
  spec?: unknown;
  status?: unknown;
}

/** True where objects of different versions differ in more than their `apiVersion`, so that a webhook must convert them. */
export function needsConversion(resource: Resource): boolean {
  return resource.definition.versions.some(({ conversion }) => conversion !== undefined);
}

/**
 * The object in another version: what a conversion webhook answers. Its identity stays; spec, status and annotations are
 * what the declared functions make of them.
 *
 * @param version for example `v1`.
 */
export function convertObject<T extends KubernetesObject>(resource: Resource, object: T, version: string): T {
  const { group } = resource.definition;
  const [itsGroup, from = ''] = object.apiVersion.split('/');
  if (itsGroup !== group) throw unknownVersion(resource, object.apiVersion);
  const steps = [versionOf(resource, from).conversion?.toHub, versionOf(resource, version).conversion?.fromHub];
  const converted = from === version ? object : steps.reduce<AnyObject>(convert, object);
  return { ...converted, apiVersion: `${group}/${version}` } as T;
}

function convert(object: AnyObject, step: ((object: Convertible) => Convertible) | undefined): AnyObject {
  if (!step) return object;
  const { annotations } = object.metadata;
  const {
    spec,
    status,
    annotations: theirs = annotations,
  } = step({
    spec: object.spec,
    status: object.status as CommonStatus | undefined,
    ...(annotations ? { annotations } : {}),
  });
  const { annotations: _, ...metadata } = object.metadata;
  const { status: __, ...rest } = object;
  return {
    ...rest,
    metadata: { ...metadata, ...(theirs ? { annotations: theirs } : {}) },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

function versionOf(resource: Resource, name: string): VersionDefinition {
  const found = resource.definition.versions.find((version) => version.name === name);
  if (!found) throw unknownVersion(resource, name);
  return found;
}

function unknownVersion({ definition }: Resource, asked: string): SchemaError {
  const known = definition.versions.map(({ name }) => `${definition.group}/${name}`).join(', ');
  const remedy = `declared are ${known}`;
  return new SchemaError('KUR_SCHEMA_VERSION', `${definition.kind} has no version ${asked}; ${remedy}`, { remedy });
}
