/** Records: objects whose keys are data. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { z } from 'zod';
import { celLiteral } from '../cel.ts';
import type { ValidationRule } from '../mark.ts';
import type { Layers } from './layers.ts';
import { fieldsSchema } from './object.ts';
import { fieldOf, inexpressible, type Place, valuesOf } from './place.ts';
import type { Translate, Translated } from './translated.ts';

type RecordDef = z.core.$ZodRecordDef & { mode?: 'loose'; partial?: boolean };

/** A map type; an object type where the keys are known. */
export function recordSchema({ core, marks }: Layers, place: Place, translate: Translate): JSONSchemaProps {
  const { keyType, valueType, mode, partial } = core._zod.def as RecordDef;
  if (mode === 'loose') {
    const remedy = 'use z.record(), which refuses other keys, or z.looseObject()';
    throw inexpressible(place, 'KUR_SCHEMA_CATCHALL', 'keys that are checked beside keys that are not', remedy);
  }
  const known = keyType._zod.values;
  if (known) return knownKeys([...known].map(String), valueType, Boolean(partial), place, translate);
  const size = marks.find((mark) => mark.is === 'size');
  const { schema: additionalProperties } = translate(valueType, valuesOf(place, '.*'));
  const rule = keyRule(translate(keyType, valuesOf(place, '.*')).schema, place);
  return {
    type: 'object',
    ...(size?.min ? { minProperties: size.min } : {}),
    ...(size?.max === undefined ? {} : { maxProperties: size.max }),
    additionalProperties,
    ...(rule ? { 'x-kubernetes-validations': [rule] } : {}),
  };
}

function knownKeys(
  keys: readonly string[],
  value: z.core.$ZodType,
  partial: boolean,
  place: Place,
  translate: Translate,
): JSONSchemaProps {
  const fields = keys.map((name): [string, Translated] => {
    const { schema, layers } = translate(value, fieldOf(place, name));
    return [name, { schema, layers: { ...layers, optional: partial || layers.optional } }];
  });
  return fieldsSchema(fields, place);
}

function keyRule(key: JSONSchemaProps, place: Place): ValidationRule | undefined {
  if (key.type !== 'string') {
    throw inexpressible(place, 'KUR_SCHEMA_TYPE', 'the keys of a map are strings', 'use z.string() for the key');
  }
  const demands = [...keyDemands(key, place)];
  if (demands.length === 0) return undefined;
  return {
    rule: `self.all(key, ${demands.map(([cel]) => cel).join(' && ')})`,
    message: `each key ${demands.map(([, said]) => said).join(', and ')}`,
  };
}

function* keyDemands(key: JSONSchemaProps, place: Place): Generator<[cel: string, said: string]> {
  const { minLength, maxLength, pattern, allOf = [] } = key;
  if (minLength !== undefined) yield [`size(key) >= ${minLength}`, `must have at least ${minLength} characters`];
  if (maxLength !== undefined) yield [`size(key) <= ${maxLength}`, `must have at most ${maxLength} characters`];
  const all: readonly JSONSchemaProps[] = [pattern ? { pattern } : {}, ...allOf];
  for (const each of all) {
    if (each.pattern) yield [`key.matches(${celLiteral(each.pattern)})`, `must match ${each.pattern}`];
    if (each.not?.pattern)
      yield [`!key.matches(${celLiteral(each.not.pattern)})`, `must not match ${each.not.pattern}`];
    if (each.format) {
      const what = `the keys of a map can't be checked as ${each.format}`;
      throw inexpressible(place, 'KUR_SCHEMA_FORMAT', what, 'use z.string().regex() for the key');
    }
  }
}
