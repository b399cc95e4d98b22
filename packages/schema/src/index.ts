/** A zod schema in; a CustomResourceDefinition, types and permissions out. Does no I/O. */
export type { ChildrenCleanup, Cleanup, Finished, FinishedCleanup } from './cleanup.ts';
export { childrenAfter, removalTime } from './cleanup-plan.ts';
export type { Column, Columns, ConditionColumn } from './columns.ts';
export { type CompareOptions, compareCrds } from './compatibility/crds.ts';
export type { Finding } from './compatibility/finding.ts';
export { convertObject, needsConversion } from './conversion.ts';
export { type CrdOptions, crdOf } from './crd.ts';
export type {
  CommonStatus,
  Conversion,
  Convertible,
  CustomObject,
  FromJson,
  ObjectOf,
  Resource,
  ResourceDefinition,
  ScalePaths,
  Scope,
  SpecOf,
  VersionDefinition,
} from './definition.ts';
export { SchemaError, type SchemaErrorCode, type SchemaErrorOptions } from './error.ts';
export { intOrPercent, intOrString } from './fields/int-or-string.ts';
export {
  configMapKeyRef,
  containerPorts,
  environment,
  labelSelector,
  localReference,
  resourceRequirements,
  secretKeyRef,
} from './fields/kubernetes.ts';
export { listMap, type MapOptions, mapOf, uniqueList } from './fields/list.ts';
export { embeddedObject, preserveUnknown } from './fields/open.ts';
export { type Bounds, duration, quantity } from './fields/quantity.ts';
export { reference, signedBy, unchecked } from './fields/reference.ts';
export { type ImmutableOptions, immutable, onlyInWebhook, type RuleOptions, rule } from './fields/rule.ts';
export { type CrdResource, type FromCrdOptions, resourceFromCrd } from './from-crd/resource.ts';
export { type TypesOptions, typesFromCrd } from './from-crd/types.ts';
export { manifestOf, type ResourceManifest } from './manifest.ts';
export type { Reference, ValidationRule } from './mark.ts';
export { rulesDiff } from './rbac/difference.ts';
export { type RoleOptions, rolesFor, rulesFor, rulesWithout } from './rbac/rules.ts';
export { type Usage, type Verb, verbsTo } from './rbac/usage.ts';
export { type PolicyOptions, referencePolicyOf } from './references/policy.ts';
export { type ResourceOptions, resource } from './resource.ts';
export type { DeclaredVersion } from './version.ts';
export type { InputOf, OtherVersion, VersionedResource, Versions } from './versioned-resource.ts';
