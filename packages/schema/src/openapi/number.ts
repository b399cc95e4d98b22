/** Numbers and integers, with their bounds. */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import type { z } from 'zod';
import type { Place } from './place.ts';
import { inexpressible } from './place.ts';

interface Format {
  readonly schema: JSONSchemaProps;
  readonly minimum?: number;
  readonly maximum?: number;
}

const float32 = 3.4028234663852886e38;

const formats: Record<string, Format> = {
  // JavaScript can't hold what lies beyond.
  safeint: {
    schema: { type: 'integer', format: 'int64' },
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  int32: { schema: { type: 'integer', format: 'int32' }, minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  uint32: { schema: { type: 'integer', format: 'int64' }, minimum: 0, maximum: 2 ** 32 - 1 },
  float32: { schema: { type: 'number', format: 'float' }, minimum: -float32, maximum: float32 },
  float64: { schema: { type: 'number', format: 'double' } },
};

type NumberCheck = z.core.$ZodCheckDef & { format?: string; value?: number; inclusive?: boolean };

interface Bound {
  value: number;
  exclusive: boolean;
}

/** A number type, with what its checks demand. */
export function numberSchema(
  def: z.core.$ZodTypeDef,
  checks: readonly z.core.$ZodCheckDef[],
  place: Place,
): JSONSchemaProps {
  const all = [def as unknown as NumberCheck, ...(checks as readonly NumberCheck[])];
  const named = all.flatMap(({ format }) => (format && formats[format] ? [formats[format]] : []));
  const integer = named.find(({ schema }) => schema.type === 'integer');
  const { schema } = integer ?? named[0] ?? { schema: { type: 'number' } };
  const lower = named.flatMap(({ minimum }) => bound(minimum));
  const upper = named.flatMap(({ maximum }) => bound(maximum));
  for (const { check, value, inclusive } of all) {
    if (check === 'greater_than') lower.push(...bound(value, !inclusive));
    if (check === 'less_than') upper.push(...bound(value, !inclusive));
  }
  return {
    ...schema,
    ...minimumOf(strictest(lower, 1), Boolean(integer)),
    ...maximumOf(strictest(upper, -1), Boolean(integer)),
    ...multipleOf(all, Boolean(integer), place),
  };
}

function bound(value: number | undefined, exclusive = false): Bound[] {
  return value === undefined || !Number.isFinite(value) ? [] : [{ value, exclusive }];
}

function strictest(bounds: readonly Bound[], direction: 1 | -1): Bound | undefined {
  return bounds.toSorted((a, b) => (b.value - a.value) * direction || Number(b.exclusive) - Number(a.exclusive))[0];
}

function minimumOf(lower: Bound | undefined, integer: boolean): JSONSchemaProps {
  if (!lower) return {};
  if (integer) return { minimum: lower.exclusive ? Math.floor(lower.value) + 1 : Math.ceil(lower.value) };
  return { minimum: lower.value, ...(lower.exclusive ? { exclusiveMinimum: true } : {}) };
}

function maximumOf(upper: Bound | undefined, integer: boolean): JSONSchemaProps {
  if (!upper) return {};
  if (integer) return { maximum: upper.exclusive ? Math.ceil(upper.value) - 1 : Math.floor(upper.value) };
  return { maximum: upper.value, ...(upper.exclusive ? { exclusiveMaximum: true } : {}) };
}

function multipleOf(checks: readonly NumberCheck[], integer: boolean, place: Place): JSONSchemaProps {
  const [step, ...others] = checks.flatMap(({ check, value }) => (check === 'multiple_of' && value ? [value] : []));
  if (others.length > 0) {
    throw inexpressible(place, 'KUR_SCHEMA_NUMBER', 'only one .multipleOf() is possible', 'give their common multiple');
  }
  if (step === undefined) return {};
  if (integer) return { multipleOf: wholeStep(step) };
  if (Number.isInteger(step)) return { multipleOf: step };
  const remedy = 'count in a smaller unit with z.int(), or use quantity()';
  throw inexpressible(place, 'KUR_SCHEMA_NUMBER', `the API server can't count in steps of ${step}`, remedy);
}

// The integers among the multiples of 1.5 are those of 3; the server takes whole steps only.
function wholeStep(step: number): number {
  const scale = 10 ** (/\.(\d+)$/.exec(String(step))?.[1]?.length ?? 0);
  const numerator = Math.round(step * scale);
  return numerator / greatestCommonDivisor(numerator, scale);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
