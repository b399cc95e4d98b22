/** Kinds that were made by `resource`, among all that an operator is about. */
import type { Resource } from '@kurator/schema';
import type { AnyType, OperatorDefinition } from '../definition.ts';

/** The kind with all that was declared of it; undefined for one that is somebody else's. */
export function asResource(type: AnyType): Resource | undefined {
  return 'definition' in type ? (type as unknown as Resource) : undefined;
}

/** The operator's own kinds: those that it reconciles in its own cluster. */
export function resourcesOf({ controllers }: Pick<OperatorDefinition, 'controllers'>): Resource[] {
  const near = controllers.filter(({ settings }) => !settings.cluster);
  return [...new Set(near.flatMap(({ type }) => asResource(type) ?? []))];
}

/** The name of a kind's CustomResourceDefinition. */
export function definitionName({ definition: { plural, group } }: Resource): string {
  return `${plural}.${group}`;
}

/** Whether objects of its versions differ, so that the operator must convert them. */
export function hasConversion({ definition }: Resource): boolean {
  return definition.versions.some(({ conversion }) => conversion !== undefined);
}

/** Whether an operator serves webhooks. */
export function servesHooks(definition: Pick<OperatorDefinition, 'controllers'>): boolean {
  return definition.controllers.some(({ hooks }) => hooks.length > 0) || resourcesOf(definition).some(hasConversion);
}
