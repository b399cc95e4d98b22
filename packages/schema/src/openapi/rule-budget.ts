/**
 * The server refuses rules that could take too long: it estimates their cost from the longest texts and lists that the
 * schema allows, times how often the rule runs. This is a rough copy of that estimate, which errs on the low side: what
 * it refuses the server would refuse too, with less to say about it. What it lets pass, the server may still refuse.
 */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import { SchemaError } from '../error.ts';
import { countOf, estimate } from './rule-cost.ts';

// The server's own numbers.
const RULE_BUDGET = 10_000_000;
const TOTAL_BUDGET = 100_000_000;

interface Surroundings {
  readonly path: string;
  /** How often a value can be here; undefined beneath a list or map without a bound. */
  readonly times: number | undefined;
  /** The lists and maps around it that have no bound. */
  readonly unbounded: readonly string[];
}

/** Refuses rules that the server would refuse as too costly. */
export function checkRuleBudget(schema: JSONSchemaProps): void {
  const costs = [...costsOf(schema, { path: '', times: 1, unbounded: [] })];
  const dearest = costs.toSorted((a, b) => b.cost - a.cost)[0];
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (!dearest || (dearest.cost <= RULE_BUDGET && total <= TOTAL_BUDGET)) return;
  const times = Math.ceil(Math.max(dearest.cost / RULE_BUDGET, total / TOTAL_BUDGET));
  const remedy = `add .max() to ${[...dearest.unbounded].join(', and to ') || 'the lists around it, or a smaller one'}`;
  throw new SchemaError(
    'KUR_SCHEMA_UNBOUNDED',
    `the rule "${dearest.rule}" could take ${times} times as long as the server allows; ${remedy}`,
    { path: dearest.path, remedy },
  );
}

interface Cost extends Surroundings {
  readonly rule: string;
  readonly cost: number;
}

function* costsOf(schema: JSONSchemaProps, around: Surroundings): Generator<Cost> {
  for (const { rule } of schema['x-kubernetes-validations'] ?? []) {
    const { cost, unbounded } = estimate(rule, schema, around.path);
    const limits = [...around.unbounded, ...unbounded];
    yield { ...around, rule, cost: cost * (around.times ?? countOf(schema)), unbounded: limits };
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield* costsOf(field, { ...around, path: around.path ? `${around.path}.${name}` : name });
  }
  const { items, additionalProperties: values } = schema;
  if (items && !Array.isArray(items)) yield* costsOf(items, within(around, '[]', schema.maxItems));
  if (typeof values === 'object') yield* costsOf(values, within(around, '.*', schema.maxProperties));
}

function within(around: Surroundings, suffix: string, most?: number): Surroundings {
  return {
    path: `${around.path}${suffix}`,
    times: around.times === undefined || most === undefined ? undefined : around.times * most,
    unbounded: most === undefined ? [...around.unbounded, around.path] : around.unbounded,
  };
}
