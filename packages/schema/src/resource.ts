/** `resource({...})`: a custom kind, declared once. */
import { pluralOf } from '@kurator/client/notation';
import type { z } from 'zod';
import { type Cleanup, checkCleanup } from './cleanup.ts';
import type { FromJson, ResourceDefinition, Scope, VersionDefinition } from './definition.ts';
import { SchemaError } from './error.ts';
import { checkName } from './names.ts';
import { type DeclaredVersion, versionDefinition } from './version.ts';
import { type VersionedResource, versioned } from './versioned-resource.ts';

/** What an author declares of a kind. */
export interface ResourceOptions<Spec extends z.ZodType, Status extends z.ZodType>
  extends Omit<DeclaredVersion<Spec, Status>, 'storage'> {
  /** A DNS name that is yours: `example.com`. */
  group: string;
  /** The version that the code works with: `v1alpha1`. It is the one that is stored, unless another one is. */
  version: string;
  /** For example `MyApp`. */
  kind: string;
  /** Derived from the kind by the rules of English unless given. */
  plural?: string;
  /** The kind in small letters unless given. */
  singular?: string;
  /** `Namespaced` unless given. */
  scope?: Scope;
  /** What the kind is for, as `kubectl explain` shows it. */
  description?: string;
  /** Other names for `kubectl get`. */
  shortNames?: string[];
  /** Groups of kinds to be listed with, for example `all`. */
  categories?: string[];
  /** What `metadata.name` must be, beyond what Kubernetes demands: `z.string().max(40)`. */
  name?: z.ZodType<string>;
  /** What becomes of children when their object goes, and of objects that are done. */
  cleanup?: Cleanup;
}

/**
 * Declares a custom kind. The types of spec and status follow from the schemas. Nothing is translated yet: `crdOf` does
 * that, and says what can't be.
 *
 * @example const MyApp = resource({ group: 'example.com', version: 'v1', kind: 'MyApp', spec: z.object({ image: z.string() }) });
 */
export function resource<Spec extends z.ZodType<object>, Status extends z.ZodType<object> = z.ZodType<object>>(
  options: ResourceOptions<Spec, Status>,
): VersionedResource<
  FromJson<z.output<Spec>>,
  Partial<FromJson<z.output<Status>>>,
  Record<never, never>,
  z.input<Spec>
> {
  return versioned(definitionOf(options));
}

function definitionOf(options: ResourceOptions<z.ZodType, z.ZodType>): ResourceDefinition {
  const { group, version, kind, description, name, shortNames = [], categories = [], cleanup = {} } = options;
  const { plural = pluralOf(kind), singular = kind.toLowerCase() } = options;
  checkNames({ group: [group], version: [version], kind: [kind], plural: [plural], singular: [singular] });
  checkNames({ shortNames, categories });
  checkGroup(group);
  checkCleanup(cleanup);
  const hub: VersionDefinition = { ...versionDefinition(version, options), storage: true };
  return {
    group,
    version,
    kind,
    plural,
    singular,
    scope: options.scope ?? 'Namespaced',
    ...(description ? { description } : {}),
    shortNames,
    categories,
    ...(name ? { name } : {}),
    spec: hub.spec,
    ...(hub.status ? { status: hub.status } : {}),
    versions: [hub],
    cleanup,
  };
}

function checkNames(names: Partial<Record<Parameters<typeof checkName>[0], readonly string[]>>): void {
  for (const [what, all] of Object.entries(names)) {
    for (const name of all) checkName(what as Parameters<typeof checkName>[0], name);
  }
}

function checkGroup(group: string): void {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return;
  const remedy = 'use a DNS name of your own';
  throw new SchemaError('KUR_SCHEMA_NAME', `the group ${group} belongs to Kubernetes; ${remedy}`, {
    path: 'group',
    remedy,
  });
}
