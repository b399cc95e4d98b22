/**
 * What one run of a CEL rule costs, by the server's reckoning: each step is 1, making a list is 10, reading a text a
 * tenth for each byte. The rule is not parsed, only looked at, so this is a guess, and a low one.
 */
import type { JSONSchemaProps } from '@kurator/client/apiextensions/v1';

// The server's own numbers.
const REQUEST = 3 * 1024 * 1024;
const KEY = 6;
const PER_BYTE = 0.1;
const BYTES_A_CHARACTER = 4;
const PER_LIST = 10;
const PER_LOOP = 2;
const PER_PATTERN_CHARACTER = 0.25;

/** What a rule costs, and the texts and lists without a bound that make it so. */
export interface RuleCost {
  readonly cost: number;
  readonly unbounded: readonly string[];
}

/** The cost of one run of a rule on a value of this schema. */
export function estimate(rule: string, schema: JSONSchemaProps, path: string): RuleCost {
  const steps = stepCost(rule.replace(/'(?:\\.|[^'\\])*'/g, "''"));
  const pattern = (/\.matches\('((?:\\.|[^'\\])*)'/.exec(rule)?.[1]?.length ?? 0) * PER_PATTERN_CHARACTER;
  const rounds = roundsOf(rule, schema);
  // What a round looks at is an item or a key, of which nothing is known here.
  if (rounds) return { cost: PER_LOOP + rounds.count * (steps + pattern), unbounded: rounds.unbounded ? [path] : [] };
  const { cost, unbounded } = textCost(rule, schema, path);
  return { cost: steps + cost * Math.max(1, pattern), unbounded };
}

/** How many values of a schema fit into a request. */
export function countOf(value: JSONSchemaProps): number {
  return REQUEST / (smallest(value) + 1);
}

const smallestOf: Record<string, number> = { string: 2, integer: 1, number: 1, boolean: 4, array: 2, object: 2 };

function smallest({ type = '', required = [], properties = {} }: JSONSchemaProps): number {
  // What has a default need not be sent.
  const sent = required.filter((name) => properties[name]?.default === undefined);
  const fields = sent.map((name) => name.length + 4 + smallest(properties[name] ?? {}));
  return (smallestOf[type] ?? 1) + fields.reduce((sum, size) => sum + size, 0);
}

const priced: readonly [pattern: RegExp, price: (text: string) => number][] = [
  [/\bhas\([^)]*\)/g, () => 1],
  [/(?<![\w\])])\[[^\]]*\]/g, (list) => PER_LIST + list.split(',').length],
  // A path is as many steps as it has names; a call at its end is one as well, but for those that cost what they read.
  [/[A-Za-z_][\w.]*\(?/g, (path) => (words.has(path) ? 0 : path.replace('.matches(', '').split('.').length)],
  [/[=!<>]=|[<>!+*%/-]/g, () => 1],
];

const words = new Set(['in', 'true', 'false', 'null']);

function stepCost(rule: string): number {
  let rest = rule;
  let cost = 0;
  for (const [pattern, price] of priced) {
    rest = rest.replace(pattern, (found) => {
      cost += price(found);
      return ' ';
    });
  }
  return cost;
}

function textCost(rule: string, schema: JSONSchemaProps, path: string): RuleCost {
  // These cost the same however long a text is.
  const free =
    /\b(?:has|size|duration|timestamp)\([\w.]*\)|[\w.]+\.(?:size|startsWith|endsWith)\(|[\w.]+ *(?:[!=]=|in) *['[]/g;
  const reading = rule.replace(free, ' ');
  // Then it is read twice.
  const factor = PER_BYTE * (/\w\(string\(/.test(rule) ? 2 : 1);
  const read = [...reading.matchAll(/\bself((?:\.\w+)*)/g)].map(([, names = '']) =>
    textAt(schema, names.split('.').slice(1), path),
  );
  return {
    cost: read.reduce((sum, { bytes }) => sum + bytes * factor, 0),
    unbounded: [...new Set(read.flatMap(({ unbounded }) => unbounded))],
  };
}

interface Text {
  readonly bytes: number;
  readonly unbounded: readonly string[];
}

// The last of the names may be a function: `self.name.matches`.
function textAt(schema: JSONSchemaProps, [name, ...more]: readonly string[], path: string): Text {
  const field = name === undefined ? undefined : schema.properties?.[name];
  if (field) return textAt(field, more, `${path}.${name}`);
  const isText = schema.type === 'string' || schema['x-kubernetes-int-or-string'];
  if (!isText || schema.enum) return { bytes: 0, unbounded: [] };
  if (schema.maxLength !== undefined) return { bytes: schema.maxLength * BYTES_A_CHARACTER, unbounded: [] };
  return { bytes: REQUEST, unbounded: [path] };
}

/** How often a rule goes round over the list or map that it stands on; undefined where it doesn't. */
function roundsOf(rule: string, schema: JSONSchemaProps): { count: number; unbounded: boolean } | undefined {
  if (!/\bself\.(?:all|exists|exists_one|map|filter)\(/.test(rule)) return undefined;
  const { items, additionalProperties: values, maxItems, maxProperties } = schema;
  if (items && !Array.isArray(items)) return { count: maxItems ?? countOf(items), unbounded: maxItems === undefined };
  if (typeof values !== 'object') return undefined;
  const most = (REQUEST - 2) / (smallest(values) + KEY);
  return { count: maxProperties ?? most, unbounded: maxProperties === undefined };
}
