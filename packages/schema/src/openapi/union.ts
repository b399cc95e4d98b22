/** Unions: of a type and null, of constants, of scalars, of integers and strings, of objects. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { z } from 'zod';
import { choiceSchema } from './choice.ts';
import { intOrStringSchema } from './int-or-string.ts';
import type { Layers } from './layers.ts';
import { layersOf } from './layers.ts';
import { objectUnionSchema } from './object-union.ts';
import { inexpressible, type Place } from './place.ts';
import { limitsOf, sameSchema } from './structure.ts';
import type { Translate, Translated } from './translated.ts';

/** The one type that stands for all members of a union. */
export function unionSchema(layers: Layers, place: Place, translate: Translate): JSONSchemaProps {
  const { options, discriminator } = layers.core._zod.def as z.core.$ZodDiscriminatedUnionDef;
  const members = membersOf(options, discriminator, place);
  const real = members.filter((member) => !['null', 'undefined'].includes(member._zod.def.type));
  const translated = real.map((member) => translate(member, place));
  const nullable = layers.nullable || translated.some(({ schema }) => schema.nullable);
  const isNullable = nullable || members.some((member) => member._zod.def.type === 'null');
  const united = unite(translated, discriminator, isNullable, place);
  return isNullable ? { ...united, nullable: true } : united;
}

/** Unions in unions are one union, where the same field tells their members apart. */
function membersOf(
  options: readonly z.core.$ZodType[],
  discriminator: string | undefined,
  place: Place,
): z.core.$ZodType[] {
  return options.flatMap((option) => {
    const { core, marks } = layersOf(option, place);
    const def = core._zod.def as z.core.$ZodDiscriminatedUnionDef;
    const dissolves = def.type === 'union' && marks.length === 0 && def.discriminator === discriminator;
    return dissolves ? membersOf(def.options, discriminator, place) : [option];
  });
}

function unite(
  members: readonly Translated[],
  discriminator: string | undefined,
  nullable: boolean,
  place: Place,
): JSONSchemaProps {
  const schemas = members.map(({ schema }) => schema);
  const [first] = schemas;
  if (first && schemas.every((schema) => sameSchema(first, schema))) return first;
  const types = new Set(schemas.map(({ type }) => type ?? 'any'));
  if (types.size === 1 && types.has('object')) return objectUnionSchema(members, discriminator, place);
  checkPlain(members, place);
  if (schemas.every((schema) => schema.enum)) {
    return choiceSchema(
      schemas.flatMap((schema) => schema.enum ?? []),
      nullable,
      place,
    );
  }
  if (isSubset(types, ['integer', 'string']))
    return types.size === 1 ? sameType(schemas) : intOrStringSchema(schemas, place);
  if (isSubset(types, ['integer', 'number'])) return sameType(schemas.map(asNumber));
  throw inexpressible(
    place,
    'KUR_SCHEMA_UNION',
    `a field has one type in a CRD, not ${[...types].join(' or ')}`,
    'use z.discriminatedUnion() of objects, intOrString(), or preserveUnknown() with a check in the webhook',
  );
}

function isSubset(types: ReadonlySet<string>, allowed: readonly string[]): boolean {
  return [...types].every((type) => allowed.includes(type));
}

function sameType(schemas: readonly JSONSchemaProps[]): JSONSchemaProps {
  const [{ type, format } = {}] = schemas;
  const limits = schemas.map(limitsOf);
  return {
    ...(type ? { type } : {}),
    ...(format && schemas.every((schema) => schema.format === format) ? { format } : {}),
    // A member without limits takes every value.
    ...(limits.some((limit) => Object.keys(limit).length === 0) ? {} : { anyOf: limits }),
  };
}

function asNumber(schema: JSONSchemaProps): JSONSchemaProps {
  const { format: _, ...rest } = schema;
  return {
    ...rest,
    type: 'number',
    ...(schema.type === 'integer' && !schema.enum ? { multipleOf: schema.multipleOf ?? 1 } : {}),
  };
}

// Rules and defaults can't be said of one case only.
function checkPlain(members: readonly Translated[], place: Place): void {
  for (const { schema } of members) {
    if (!schema['x-kubernetes-validations'] && schema.default === undefined) continue;
    const what = 'a member of this union has a rule or a default of its own';
    throw inexpressible(place, 'KUR_SCHEMA_UNION', what, 'put rule() and .default() on the union instead');
  }
}
