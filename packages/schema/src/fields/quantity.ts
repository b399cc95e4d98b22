/** Fields for amounts and lengths of time, written as Kubernetes writes them. */
import { durationPattern, parseQuantity, spelledDuration } from '@kurator/client/notation';
import { z } from 'zod';
import { SchemaError } from '../error.ts';
import { marked } from '../mark.ts';

/** The bounds of an amount or a length of time, both inclusive. */
export interface Bounds {
  /** For example `100m`, or `30s`. None unless given. */
  min?: string;
  /** For example `64Gi`, or `24h`. None unless given. */
  max?: string;
}

// Long enough for every sensible text, and rules on texts need a bound.
const LONGEST = 64;

/** An amount such as `500m`, `1.5Gi` or `2`: what containers ask of CPU and memory. */
export function quantity(bounds: Bounds = {}) {
  const text = z.string().max(LONGEST).regex(quantityPattern, 'must be a quantity such as 500m, 1.5Gi or 2e3');
  return within(z.union([z.int(), text]), bounds, nanosOf, (bound, sign) => {
    return `quantity(string(self)).compareTo(quantity('${bound}')) ${sign} 0`;
  });
}

/** A length of time such as `30s`, `1h30m` or `250ms`. Never negative. */
export function duration(bounds: Bounds = {}) {
  const text = z.string().max(LONGEST).regex(durationPattern, 'must be a duration such as 30s, 1h30m or 250ms');
  return within(text, bounds, nanosecondsOf, (bound, sign) => `duration(self) ${sign} duration('${bound}')`);
}

function within<S extends z.ZodType<string | number>>(
  schema: S,
  bounds: Bounds,
  read: (value: never) => number | bigint | undefined,
  cel: (bound: string, sign: string) => string,
): S {
  const sizeOf = read as (value: string | number) => number | bigint | undefined;
  const limits = [
    [bounds.min, '>=', 'at least'],
    [bounds.max, '<=', 'at most'],
  ] as const;
  return limits.reduce((limited: S, [bound, sign, words]) => {
    if (bound === undefined) return limited;
    const limit = sizeOf(bound);
    if (limit === undefined) throw noBound(bound);
    const message = `must be ${words} ${bound}`;
    return marked(limited, { is: 'rule', rule: { rule: cel(bound, sign), message } }, (value) => {
      const size = sizeOf(value);
      // What is no amount at all was refused by the pattern.
      if (size === undefined) return undefined;
      return (sign === '>=' ? size >= limit : size <= limit) ? undefined : message;
    });
  }, schema);
}

function noBound(bound: string): SchemaError {
  const remedy = "write bounds as values are written, for example '500m' for a quantity and '30s' for a duration";
  return new SchemaError('KUR_SCHEMA_BOUND', `"${bound}" can't be a bound; ${remedy}`, { remedy });
}

/** What a quantity looks like: `500m`, `1.5Gi`, `2e3`. */
const quantityPattern = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$/;

/** A quantity in billionths, which is the server's precision; undefined where it is none. */
export function nanosOf(quantity: string | number): bigint | undefined {
  const text = String(quantity);
  return quantityPattern.test(text) ? parseQuantity(text).nanos : undefined;
}

/** A duration in nanoseconds; undefined where it is none. */
export function nanosecondsOf(duration: string): number | undefined {
  return durationPattern.test(duration) ? Math.round((spelledDuration(duration) ?? 0) * 1e6) : undefined;
}
