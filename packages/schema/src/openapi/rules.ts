/** CEL rules: those that marks ask for, beside those that the translation itself needs. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { Mark, ValidationRule } from '../mark.ts';
import { inexpressible, type Place } from './place.ts';

/** The schema with the rules of its marks. */
export function withRules(schema: JSONSchemaProps, marks: readonly Mark[], place: Place): JSONSchemaProps {
  const asked = marks.flatMap(ruleOf);
  for (const rule of asked) checkTransition(rule, place);
  const rules = [...(schema['x-kubernetes-validations'] ?? []), ...asked];
  if (rules.length === 0) return schema;
  if (!isTyped(schema)) throw untyped(place);
  return { ...schema, 'x-kubernetes-validations': rules };
}

/** True where CEL knows what the value is: it can't look at values that may be anything. */
export function isTyped({ type, items, additionalProperties, ...rest }: JSONSchemaProps): boolean {
  if (items && !Array.isArray(items)) return isTyped(items);
  if (typeof additionalProperties === 'object') return isTyped(additionalProperties);
  return type !== undefined || rest['x-kubernetes-int-or-string'] === true;
}

/** A rule where there can't be one. */
export function untyped(place: Place) {
  return inexpressible(
    place,
    'KUR_SCHEMA_UNTYPED',
    'this needs a CEL rule, and CEL does not see values that may be anything',
    'give it a type, for example preserveUnknown(), an object with any fields',
  );
}

/** Refuses a rule about change where the server has nothing to compare with. */
export function checkTransition({ rule }: ValidationRule, place: Place): void {
  if (!place.uncorrelated || !/\boldSelf\b/.test(rule)) return;
  throw inexpressible(
    place,
    'KUR_SCHEMA_TRANSITION',
    `a rule about change needs the old item, and ${place.uncorrelated} is a list whose items have no identity`,
    'use listMap(item, [key]) for the list, or put the rule on the whole list',
  );
}

function ruleOf(mark: Mark): ValidationRule[] {
  if (mark.is === 'rule') return [mark.rule];
  if (mark.is === 'immutable') return [{ rule: 'self == oldSelf', message: "can't be changed" }];
  return [];
}
