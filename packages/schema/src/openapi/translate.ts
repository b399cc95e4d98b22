/** A zod schema in, a structural OpenAPI schema out, or an error that says what can't be expressed and what to write. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { z } from 'zod';
import { arraySchema } from './array.ts';
import { choiceSchema } from './choice.ts';
import { type Layers, layersOf } from './layers.ts';
import { numberSchema } from './number.ts';
import { objectSchema } from './object.ts';
import { inexpressible, type Place } from './place.ts';
import { recordSchema } from './record.ts';
import { withRules } from './rules.ts';
import { patternSchema, stringSchema } from './string.ts';
import type { Translated } from './translated.ts';
import { unionSchema } from './union.ts';

/** Translates a schema and everything beneath it. */
export function translate(schema: z.core.$ZodType, place: Place): Translated {
  const layers = layersOf(schema, place);
  if (place.within.includes(layers.core)) throw recursive(place);
  const inside: Place = { ...place, within: [...place.within, layers.core] };
  const type = layers.core._zod.def.type;
  const base = (types[type] ?? impossible)(layers, inside);
  const nullable = layers.nullable || Boolean(base.nullable);
  const described: JSONSchemaProps = {
    ...(layers.description ? { description: layers.description } : {}),
    ...base,
    ...(nullable ? { nullable: true } : {}),
    ...(layers.default ? { default: layers.default.value } : {}),
  };
  return { schema: withRules(described, layers.marks, place), layers };
}

type Translation = (layers: Layers, place: Place) => JSONSchemaProps;

const anything: Translation = () => ({ 'x-kubernetes-preserve-unknown-fields': true, nullable: true });

const types: Record<string, Translation> = {
  string: ({ core, checks }, place) => stringSchema(core._zod.def, checks, place),
  number: ({ core, checks }, place) => numberSchema(core._zod.def, checks, place),
  boolean: () => ({ type: 'boolean' }),
  template_literal: ({ core }, place) => patternSchema(core._zod.pattern ?? /^/, place),
  enum: choice,
  literal: choice,
  any: anything,
  unknown: anything,
  object: (layers, place) => objectSchema(layers, place, translate),
  record: (layers, place) => recordSchema(layers, place, translate),
  array: (layers, place) => arraySchema(layers, place, translate),
  union: (layers, place) => unionSchema(layers, place, translate),
  intersection: ({ core }, place) => translate(mergedObjects(core, place), place).schema,
};

function choice({ core, nullable }: Layers, place: Place): JSONSchemaProps {
  return choiceSchema([...(core._zod.values ?? [])], nullable, place);
}

const remedies: Record<string, [what: string, remedy: string]> = {
  date: ['JSON has no Date', 'use z.iso.datetime(), a string'],
  bigint: ['JSON has no bigint', 'use z.int(), or a string with .regex()'],
  tuple: ['lists have one type for all items', 'use z.object() with a name for each, or z.array()'],
  map: ['JSON has no Map', 'use z.record()'],
  set: ['JSON has no Set', 'use uniqueList(item)'],
  null: ['a field that can only be null says nothing', 'use .nullable() on a type'],
  undefined: ['a field that can only be absent says nothing', 'leave it out'],
  void: ['a field that can only be absent says nothing', 'leave it out'],
  never: ['a field that can have no value', 'leave it out'],
  nan: ['JSON has no NaN', 'use z.number()'],
  transform: ['the API server does not transform values', 'declare what is stored, and transform it in the controller'],
  pipe: ['the API server does not transform values', 'declare what is stored, and transform it in the controller'],
  catch: ['the API server refuses a wrong value, it does not replace it', 'use .default(), or leave .catch() out'],
  custom: ['the API server can not run JavaScript', 'use a type of zod, with rule() for what it does not say'],
};

function impossible({ core }: Layers, place: Place): never {
  const { type } = core._zod.def;
  const [what, remedy] = remedies[type] ?? ['there is no such thing in JSON', 'use a type that JSON has'];
  throw inexpressible(place, 'KUR_SCHEMA_TYPE', `zod's ${type} can't be expressed: ${what}`, remedy);
}

function recursive(place: Place) {
  return inexpressible(
    place,
    'KUR_SCHEMA_RECURSIVE',
    'a schema that contains itself has no end, and a CRD must be written out',
    'write out as many levels as you need, or use preserveUnknown() for what lies deeper',
  );
}

function mergedObjects(core: z.core.$ZodType, place: Place): z.core.$ZodType {
  const { left, right } = core._zod.def as z.core.$ZodIntersectionDef;
  const shapes = [left, right].map((side) => (side instanceof z.ZodObject ? side : undefined));
  const [a, b] = shapes;
  const both = a && b ? Object.keys(a.shape).filter((name) => name in b.shape) : [];
  if (a && b && both.length === 0) return a.extend(b.shape);
  const what =
    both.length > 0
      ? `both sides of the intersection have ${both.join(', ')}`
      : 'an intersection of other types than objects';
  throw inexpressible(place, 'KUR_SCHEMA_TYPE', what, 'use a.extend(b.shape), which says which side counts');
}
