/** What a schema can't say of a value, said in CEL: the API server checks it before anything is stored. */
import type { z } from 'zod';
import { marked, type ValidationRule } from '../mark.ts';

/** More about a rule. */
export interface RuleOptions<T> extends Omit<ValidationRule, 'rule' | 'message'> {
  /** The same in JavaScript, for zod: true where the value is right. Without it zod takes what the rule refuses. */
  check?: (value: T) => boolean;
}

/**
 * Adds a CEL rule to a schema. It is checked where the value is present.
 *
 * @example rule(z.object({ min: z.int(), max: z.int() }), 'self.min <= self.max', 'min must not be above max')
 */
export function rule<S extends z.ZodType>(
  schema: S,
  cel: string,
  message: string,
  options: RuleOptions<z.output<S>> = {},
): S {
  const { check, ...rest } = options;
  const complaint = check && ((value: z.output<S>) => (check(value) ? undefined : message));
  return marked(schema, { is: 'rule', rule: { rule: cel, message, ...rest } }, complaint);
}

/** When a field that may be absent becomes fixed. */
export interface ImmutableOptions {
  /** An absent field can be set later, once. True unless given; false fixes its absence too. */
  settable?: boolean;
}

/**
 * A value that can't be changed once it is there, nor removed. In lists it works for those made by `listMap` only. Where
 * the object around it can be removed as a whole, it goes with it: make that immutable too.
 */
export function immutable<S extends z.ZodType>(schema: S, { settable = true }: ImmutableOptions = {}): S {
  return marked(schema, { is: 'immutable', settable });
}

/**
 * A check that neither OpenAPI nor CEL can express: zod makes it, so it counts in the operator's validating webhook, and
 * the API server knows nothing of it.
 */
export function onlyInWebhook<S extends z.ZodType>(
  schema: S,
  check: (value: z.output<S>) => boolean,
  message: string,
): S {
  return marked(schema, { is: 'webhook' }, (value) => (check(value) ? undefined : message));
}
