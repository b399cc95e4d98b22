/** Literals and enums: one of several constants. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { celList } from '../cel.ts';
import { inexpressible, type Place } from './place.ts';

/** A type with these values only. */
export function choiceSchema(values: readonly unknown[], nullable: boolean, place: Place): JSONSchemaProps {
  const real = values.filter((value) => value !== null && value !== undefined);
  const type = typeOf(real, place);
  const isNullable = nullable || values.includes(null);
  return { type, ...(isNullable ? choiceOrNull(real, type) : { enum: real }) };
}

// The server refuses null where there is an enum, whatever `nullable` says.
function choiceOrNull(values: readonly unknown[], type: string): JSONSchemaProps {
  const said = type === 'number' ? `[${values.map((value) => decimal(value as number)).join(', ')}]` : celList(values);
  return {
    nullable: true,
    ...(type === 'string' ? { maxLength: Math.max(...values.map((value) => [...String(value)].length)) } : {}),
    'x-kubernetes-validations': [{ rule: `self in ${said}`, message: `must be one of ${values.join(', ')}, or null` }],
  };
}

function decimal(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : `${value}`;
}

function typeOf(values: readonly unknown[], place: Place): string {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)));
  if (types.size === 2 && types.has('integer') && types.has('number')) return 'number';
  const [type = 'none'] = types;
  if (types.size === 1 && /^(string|boolean|integer|number)$/.test(type)) return type;
  const what = `the constants are of different types: ${[...types].join(', ') || 'none at all'}`;
  throw inexpressible(place, 'KUR_SCHEMA_TYPE', what, 'use constants of one type, all strings for example');
}
