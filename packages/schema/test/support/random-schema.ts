/**
 * Random schemas, each with values that it should take, values that it may not, and junk. What is right is not said here:
 * zod says it, and the test asks whether the API server agrees. Known differences (README.md) are kept out: null for
 * what may be absent, unknown fields, characters outside the Basic Multilingual Plane, URLs.
 */
import fc from 'fast-check';
import { z } from 'zod';
import { listMap, mapOf, preserveUnknown, rule, uniqueList } from '../../src/index.ts';
import { type Candidate, junk, numbers, scalar, textCandidate } from './random-scalar.ts';

const { node } = fc.letrec<{
  node: Candidate;
  list: Candidate;
  map: Candidate;
  object: Candidate;
  tagged: Candidate;
  untagged: Candidate;
}>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    tie('list'),
    tie('map'),
    tie('object'),
    tie('tagged'),
    tie('untagged'),
  ),
  list: fc
    .record({
      item: tie('node'),
      scalarItem: numbers,
      min: fc.option(fc.nat(2)),
      max: fc.integer({ min: 2, max: 4 }),
      kind: fc.constantFrom('plain', 'plain', 'set', 'map'),
    })
    .map(({ item, scalarItem, min, max, kind }) => {
      const named: Candidate = objectOf({ name: textCandidate(z.string().max(4), ['a', 'b']), item }, ['item']);
      const used = kind === 'set' ? scalarItem : kind === 'map' ? named : item;
      const raw =
        kind === 'set'
          ? uniqueList(used.schema as z.ZodNumber)
          : kind === 'map'
            ? listMap(used.schema as z.ZodObject<{ name: z.ZodString }>, ['name'])
            : z.array(used.schema);
      const list = (min === null ? raw : raw.min(min)).max(max);
      return {
        schema: list,
        good: fc.array(used.good, { minLength: min ?? 0, maxLength: max }),
        bad: fc.oneof(
          fc.array(fc.oneof(used.good, used.bad), { maxLength: 5 }),
          fc.tuple(used.good).map(([one]) => [one, one]),
          junk,
        ),
      };
    }),
  map: fc
    .record({ value: tie('node'), pattern: fc.boolean(), max: fc.option(fc.integer({ min: 1, max: 3 })) })
    .map(({ value, pattern, max }) => {
      const key = pattern
        ? z
            .string()
            .regex(/^[a-b]+$/)
            .max(3)
        : z.string();
      const keys = fc.constantFrom('a', 'b', 'ab', 'c', "d'\\", 'abab');
      return {
        schema: max === null ? z.record(key, value.schema) : mapOf(key, value.schema, { max }),
        good: fc.dictionary(fc.constantFrom('a', 'b'), value.good, { maxKeys: max ?? 2 }),
        bad: fc.oneof(
          fc.dictionary(keys, value.good, { maxKeys: 4 }),
          fc.dictionary(keys, value.bad, { minKeys: 1, maxKeys: 2 }),
          junk,
        ),
      };
    }),
  object: fc
    .record({
      a: tie('node'),
      b: tie('node'),
      c: numbers,
      optional: fc.subarray(['a', 'b', 'c', 'namespace']),
      nullable: fc.boolean(),
      loose: fc.boolean(),
      ruled: fc.boolean(),
    })
    .map(({ a, b, c, optional, nullable, loose, ruled }) => {
      const made = objectOf(
        { a, b: nullable ? orNull(b) : b, c, namespace: textCandidate(z.string().default('x'), ['a']) },
        [...optional, 'namespace'],
      );
      let schema: z.ZodType = made.schema;
      if (loose) schema = preserveUnknown(schema as z.ZodObject);
      if (ruled)
        schema = rule(schema, "self.__namespace__ != 'a'", 'not a', {
          check: (value) => (value as { namespace?: string }).namespace !== 'a',
        });
      return { ...made, schema };
    }),
  tagged: fc
    .record({ a: tie('node'), b: tie('node'), shared: fc.tuple(numbers, numbers), strict: fc.boolean() })
    .map(({ a, b, shared: [one, other], strict }) => {
      const make = strict ? z.strictObject : z.object;
      const sameType = typeOf(one.schema) === typeOf(other.schema);
      const second = sameType ? other : one;
      return {
        schema: z.discriminatedUnion('type', [
          make({ type: z.literal('a'), a: a.schema, both: one.schema.optional() }),
          make({ type: z.literal(['b', 'bb']), b: b.schema.optional(), both: second.schema }),
        ]),
        good: fc.oneof(
          fc.record({ type: fc.constant('a'), a: a.good }),
          fc.record(
            { type: fc.constantFrom('b', 'bb'), b: b.good, both: second.good },
            { requiredKeys: ['type', 'both'] },
          ),
        ),
        bad: fc.oneof(
          fc
            .record(
              { type: fc.constantFrom('a', 'b', 'c'), a: a.good, both: fc.oneof(one.good, second.good, one.bad) },
              { requiredKeys: ['type'] },
            )
            .filter((value) => !('a' in value) || a.schema.safeParse(value.a).success),
          fc.record({ type: fc.constantFrom('b', 'bb'), b: b.bad, both: second.bad }, { requiredKeys: [] }),
          junk,
        ),
      };
    }),
  untagged: fc.record({ a: tie('node'), b: tie('node'), strict: fc.boolean() }).map(({ a, b, strict }) => {
    const make = strict ? z.strictObject : z.object;
    const fields = { a: a.good, b: b.good };
    const areRight = (both: { a?: unknown; b?: unknown }) =>
      a.schema.safeParse(both.a).success && b.schema.safeParse(both.b).success;
    return {
      schema: z.union([make({ a: a.schema }), make({ b: b.schema })]),
      good: fc.oneof(fc.record({ a: a.good }), fc.record({ b: b.good })),
      // A field of another member must be right too, as far as the server is concerned.
      bad: fc.oneof(
        fc.record(fields, { requiredKeys: [] }).filter((both) => !('a' in both && 'b' in both) || areRight(both)),
        fc.record({ a: a.bad }),
        junk,
      ),
    };
  }),
}));

function typeOf(schema: z.ZodType): string {
  return /"type":"(\w+)"/.exec(JSON.stringify(z.toJSONSchema(schema)))?.[1] ?? '';
}

function orNull(candidate: Candidate): Candidate {
  return { ...candidate, schema: candidate.schema.nullable(), good: fc.oneof(candidate.good, fc.constant(null)) };
}

function objectOf(fields: Record<string, Candidate>, optional: readonly string[]): Candidate {
  const names = Object.keys(fields);
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, { schema }]) => [name, optional.includes(name) ? schema.optional() : schema]),
  );
  const values = (kind: 'good' | 'bad') =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field[kind]]));
  const required = names.filter((name) => !optional.includes(name));
  const broken = fc.constantFrom(...names).chain((name) => {
    return fc.record({ ...values('good'), [name]: fields[name]?.bad ?? junk }, { requiredKeys: required });
  });
  return {
    schema: z.object(shape),
    good: fc.record(values('good'), { requiredKeys: required }),
    bad: fc.oneof(broken, fc.record(values('good'), { requiredKeys: [] }), junk),
  };
}

/** Any of them. */
export const candidates: fc.Arbitrary<Candidate> = node;
