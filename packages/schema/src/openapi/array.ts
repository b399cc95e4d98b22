/** Lists: plain, sets, and maps by keys. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { z } from 'zod';
import type { Layers } from './layers.ts';
import { inexpressible, type Place, valuesOf } from './place.ts';
import type { Translate } from './translated.ts';

/** A list type, with what its checks demand. */
export function arraySchema({ core, checks, marks }: Layers, place: Place, translate: Translate) {
  const { element } = core._zod.def as z.core.$ZodArrayDef;
  const lengths = lengthsOf(checks);
  const listMap = marks.find((mark) => mark.is === 'list-map');
  const isSet = marks.some((mark) => mark.is === 'set');
  const inItems = valuesOf(place, '[]');
  // Items can be told apart by their keys alone: in other lists there is no old item to compare with.
  const { schema: items } = translate(element, listMap ? inItems : { ...inItems, uncorrelated: place.path });
  if (isSet) checkSetItems(items, place);
  if (listMap) checkKeys(items, listMap.keys, place);
  return {
    type: 'array',
    ...lengths,
    ...(isSet ? { 'x-kubernetes-list-type': 'set' } : {}),
    ...(listMap ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...listMap.keys] } : {}),
    items,
  } satisfies JSONSchemaProps;
}

function lengthsOf(checks: readonly z.core.$ZodCheckDef[]): { minItems?: number; maxItems?: number } {
  const all = checks as readonly { minimum?: number; maximum?: number; length?: number }[];
  const minimum = Math.max(0, ...all.flatMap(({ minimum, length }) => minimum ?? length ?? []));
  const maximum = Math.min(Infinity, ...all.flatMap(({ maximum, length }) => maximum ?? length ?? []));
  return { ...(minimum > 0 ? { minItems: minimum } : {}), ...(maximum < Infinity ? { maxItems: maximum } : {}) };
}

const scalars = /^(string|integer|number|boolean)$/;

function checkSetItems(items: JSONSchemaProps, place: Place): void {
  if (scalars.test(items.type ?? '') && !items.nullable) return;
  const remedy = 'use listMap(item, [key]) for objects, and z.array() for other types';
  throw inexpressible(place, 'KUR_SCHEMA_LIST', 'only strings, numbers and booleans can be a set', remedy);
}

function checkKeys(items: JSONSchemaProps, keys: readonly string[], place: Place): void {
  for (const key of keys) {
    const field = items.properties?.[key];
    const what = `"${key}" is a key of the list, and must be a field of its items that`;
    const remedy = 'declare it as a string, number or boolean, required or with a default';
    const present = items.required?.includes(key) || field?.default !== undefined;
    if (!field || !present) throw inexpressible(place, 'KUR_SCHEMA_LIST', `${what} is always there`, remedy);
    if (!scalars.test(field.type ?? '') || field.nullable) {
      throw inexpressible(place, 'KUR_SCHEMA_LIST', `${what} is a string, number or boolean`, remedy);
    }
  }
}
