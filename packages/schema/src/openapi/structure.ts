/**
 * The API server wants one type for each field, whatever the value; how the value is limited may differ from case to
 * case. These functions take a schema apart into the one and the other.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { fieldOf, inexpressible, type Place } from './place.ts';

const structural = [
  'type',
  'nullable',
  'default',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const;

const said = ['description', 'title', 'format', ...structural] as const;

/** True where both say the same, whatever they are described as. */
export function sameSchema(a: JSONSchemaProps, b: JSONSchemaProps): boolean {
  return isDeepStrictEqual(undescribed(a), undescribed(b));
}

/** What a schema demands of a value beyond its type; empty where that is nothing. */
export function limitsOf(schema: JSONSchemaProps): JSONSchemaProps {
  const { properties, items, additionalProperties, ...own } = schema;
  const limits = Object.fromEntries(Object.entries(own).filter(([key]) => !(said as readonly string[]).includes(key)));
  const inFields = Object.entries(properties ?? {})
    .map(([name, field]) => [name, limitsOf(field)] as const)
    .filter(([, limit]) => Object.keys(limit).length > 0);
  const inItems = items && !Array.isArray(items) ? limitsOf(items) : {};
  return {
    ...limits,
    ...(inFields.length > 0 ? { properties: Object.fromEntries(inFields) } : {}),
    ...(Object.keys(inItems).length > 0 ? { items: inItems } : {}),
  };
}

/** The one type that all variants of a field have; an error where they have none. */
function commonStructure(variants: readonly JSONSchemaProps[], place: Place): JSONSchemaProps {
  const [first = {}, ...others] = variants;
  if (others.every((other) => sameSchema(first, other))) return first;
  const unlike = structural.find((key) => others.some((other) => !isDeepStrictEqual(first[key], other[key])));
  if (unlike) throw differs(place, unlike);
  if (others.some((other) => !isDeepStrictEqual(first.additionalProperties, other.additionalProperties))) {
    throw differs(place, 'additionalProperties');
  }
  const kept = Object.fromEntries(said.flatMap((key) => (key in first ? [[key, first[key]]] : [])));
  const sameFormat = others.every((other) => other.format === first.format);
  if (!sameFormat) delete kept.format;
  const lists = variants.flatMap(({ items }) => (items && !Array.isArray(items) ? [items] : []));
  const { additionalProperties } = first;
  return {
    ...kept,
    ...(first.properties ? { properties: commonFields(variants, place) } : {}),
    ...(lists.length > 0 ? { items: commonStructure(lists, { ...place, path: `${place.path}[]` }) } : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}

/** All fields of all variants of an object. */
export function commonFields(variants: readonly JSONSchemaProps[], place: Place): Record<string, JSONSchemaProps> {
  const names = new Set(variants.flatMap(({ properties }) => Object.keys(properties ?? {})));
  return Object.fromEntries(
    [...names].map((name) => {
      const having = variants.flatMap(({ properties }) => properties?.[name] ?? []);
      return [name, commonStructure(having, fieldOf(place, name))];
    }),
  );
}

function undescribed(schema: JSONSchemaProps): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === 'description' && typeof value === 'string' ? undefined : value)),
  );
}

const words: Partial<Record<string, string>> = {
  type: 'types',
  default: 'defaults',
  'x-kubernetes-validations': 'rules',
};

function differs(place: Place, key: string) {
  return inexpressible(
    place,
    'KUR_SCHEMA_UNION',
    `the members of the union have different ${words[key] ?? key} for this field, and a CRD has one for all`,
    'give it the same in all of them, or another name in each',
  );
}
