/** Random schemas of single values: texts, numbers, constants. */
import fc from 'fast-check';
import { z } from 'zod';
import { duration, intOrPercent, quantity } from '../../src/index.ts';

/** A schema, and values to try on it. */
export interface Candidate {
  schema: z.ZodType;
  /** Mostly right. */
  good: fc.Arbitrary<unknown>;
  /** Mostly wrong, in ways that come close. */
  bad: fc.Arbitrary<unknown>;
}

/** Values of all kinds. */
export const junk = fc.oneof(
  fc.boolean(),
  fc.integer({ min: -5, max: 70_000 }),
  fc.double({ noNaN: true, min: -3, max: 3 }),
  fc.constantFrom('', 'a', '1', 'true', '2020-02-30', '1.5Gi', '30s', '50%', 'ä€日'),
  fc.array(fc.constantFrom(1, 'a', true), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, 'a'), { maxKeys: 1 }),
);

const text = fc.string({ unit: fc.constantFrom(...'abcXYZ019 -_.:/ä€日'), maxLength: 8 });

/** One character changed, removed or doubled. */
function damaged(value: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(Math.max(value.length - 1, 0)), fc.constantFrom('', 'x', '9', ':', ' ', '-'), fc.boolean())
    .map(([at, put, keep]) => value.slice(0, at) + put + value.slice(keep ? at : at + 1));
}

/** A schema of texts, tried with these and with what comes near them. */
export function textCandidate(schema: z.ZodType, samples: readonly string[]): Candidate {
  const sample = fc.constantFrom(...samples);
  return { schema, good: fc.oneof(sample, sample, text), bad: fc.oneof(sample.chain(damaged), text, junk) };
}

const formats: Candidate[] = [
  textCandidate(z.email(), ['a@b.co', "o'x+1@ex-a.example"]),
  textCandidate(z.uuid(), ['123e4567-e89b-42d3-a456-426614174000', '00000000-0000-0000-0000-000000000000']),
  textCandidate(z.ipv4(), ['1.2.3.4', '255.255.255.255', '01.2.3.4', '1.2.3.256']),
  textCandidate(z.ipv6(), ['::', '::1', 'fe80::1:2', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1::2::3', '12345::']),
  textCandidate(z.cidrv4(), ['10.0.0.0/8', '1.2.3.4/32', '1.2.3.4/33', '1.2.3.4/08']),
  textCandidate(z.cidrv6(), ['fe80::/10', '::/0', '::1/128', '::1/129', '::/01']),
  textCandidate(z.iso.datetime(), [
    '2024-02-29T23:59:59Z',
    '2023-02-29T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:00:00.123Z',
    '2024-01-01t00:00:00z',
  ]),
  textCandidate(z.iso.datetime({ offset: true }), [
    '2024-01-01T00:00:00+02:00',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00Z',
  ]),
  textCandidate(z.iso.date(), ['2024-02-29', '2023-02-29', '2024-13-01', '2024-1-1']),
  textCandidate(z.iso.time(), ['23:59:59', '24:00:00', '12:30']),
  textCandidate(z.base64(), ['', 'aGk=', 'aGk', 'YWJj', 'YQ==']),
  textCandidate(z.base64url(), ['', 'aGk', 'YWJj', 'YQ', 'a', 'a-_b']),
  textCandidate(z.hostname(), [
    'a',
    'example.com',
    'a-b.c',
    '-a',
    'a-',
    'a..b',
    'x'.repeat(63),
    'x'.repeat(64),
    `${'a.'.repeat(126)}a`,
    `${'a.'.repeat(127)}a`,
  ]),
  textCandidate(z.mac(), ['00:1a:2b:3c:4d:5e', '00:1A:2B:3C:4D:5E', '00:1a:2B:3c:4d:5e']),
  textCandidate(z.nanoid(), ['V1StGXR8_Z5jdHi6B-myT']),
  textCandidate(z.hex(), ['00ff', 'xyz', '']),
  textCandidate(z.string().startsWith('a.'), ['a.', 'a.b', 'ab']),
  textCandidate(z.string().endsWith('/'), ['a/', '/', '/a']),
  textCandidate(z.string().includes('-'), ['-', 'a-b', 'ab']),
  textCandidate(z.string().lowercase(), ['abc', 'aBc', 'ä']),
  textCandidate(z.templateLiteral(['v', z.int(), z.enum(['', 'beta'])]), ['v1', 'v1beta', 'v', 'vbeta', 'v-1']),
  textCandidate(
    z
      .string()
      .regex(/^[\w-]+$/)
      .regex(/[a-z]/),
    ['a-b', 'A', '1', 'a b'],
  ),
  textCandidate(z.string().regex(/^(?=.*\d)(?!x)[a-z\d]{2,5}$/), ['a1', 'ab', 'x1', '1x', 'a12345']),
  textCandidate(z.string().regex(/^a.c|[[:x]$/i), ['abc', 'ABC', '[', ':', 'x', 'q']),
  textCandidate(z.string().regex(/^\u0061\x62\/\.$/), ['ab/.', 'ab/x']),
  textCandidate(quantity(), ['1', '500m', '1.5Gi', '2e3', '-1', '.5', '1.', '1e', '1KiB', '+1k', '0']),
  textCandidate(quantity({ min: '100m', max: '2Gi' }), [
    '100m',
    '99m',
    '0.1',
    '2Gi',
    '2049Mi',
    '2147483648',
    '1E',
    '1e9',
    '99999999u',
  ]),
  textCandidate(duration(), ['30s', '1h30m', '250ms', '1.5s', '0', '-1s', '1d', '5', '1m1m']),
  textCandidate(duration({ min: '1s', max: '1h' }), ['1s', '999ms', '60m', '1h0.1s', '0', '3600s', '1000ms']),
  textCandidate(intOrPercent(), ['0%', '100%', '101%', '5', '05%']),
];

const bounded = fc
  .record({
    min: fc.option(fc.nat(4)),
    max: fc.option(fc.integer({ min: 1, max: 7 })),
    pattern: fc.option(fc.constantFrom(/^[a-c]/, /\d$/, /^[^x]*$/)),
  })
  .map(({ min, max, pattern }): Candidate => {
    let schema = z.string();
    if (min !== null) schema = schema.min(min);
    if (max !== null) schema = schema.max(max);
    if (pattern) schema = schema.regex(pattern);
    return { schema, good: text, bad: fc.oneof(text, junk) };
  });

const edges = [
  -(2 ** 53),
  -(2 ** 31) - 1,
  -(2 ** 31),
  -1,
  0,
  1,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e21,
];

/** Numbers with bounds and steps. */
export const numbers = fc
  .record({
    base: fc.constantFrom(
      () => z.int(),
      () => z.int().multipleOf(1.5),
      () => z.int32(),
      () => z.uint32(),
      () => z.number(),
      () => z.float64(),
    ),
    min: fc.option(fc.integer({ min: -10, max: 10 })),
    max: fc.option(fc.integer({ min: -5, max: 20 })),
    exclusive: fc.boolean(),
    step: fc.option(fc.constantFrom(2, 3)),
  })
  .map(({ base, min, max, exclusive, step }): Candidate => {
    let schema: z.ZodNumber = base();
    if (min !== null) schema = exclusive ? schema.gt(min) : schema.min(min);
    if (max !== null) schema = exclusive ? schema.lt(max) : schema.max(max);
    if (step !== null && !schema.def.checks?.length) schema = schema.multipleOf(step);
    const near = fc.integer({ min: -12, max: 22 });
    // Near 2^53 neighbours can't be told apart, so there is no saying what is a multiple.
    const stepped = JSON.stringify(z.toJSONSchema(schema)).includes('multipleOf');
    const far = fc.constantFrom(...edges.filter((edge) => !stepped || Math.abs(edge) < 2 ** 50));
    // And to zod, which rounds, what is next to nothing is a multiple of everything.
    const tellable = (value: unknown) => !stepped || typeof value !== 'number' || Math.abs(value) > 1e-9 || value === 0;
    return {
      schema,
      good: near,
      bad: fc.oneof(
        near,
        near.map((value) => value / 2),
        far,
        junk.filter(tellable),
      ),
    };
  });

const constants = fc.constantFrom<Candidate>(
  { schema: z.boolean(), good: fc.boolean(), bad: junk },
  { schema: z.literal('on'), good: fc.constant('on'), bad: fc.oneof(fc.constant('off'), junk) },
  { schema: z.literal([1, 2.5]), good: fc.constantFrom(1, 2.5), bad: fc.oneof(fc.constant(2), junk) },
  { schema: z.literal(true), good: fc.constant(true), bad: junk },
  { schema: z.enum(['a', 'b']), good: fc.constantFrom('a', 'b'), bad: fc.oneof(fc.constant('c'), junk) },
  {
    schema: z.union([z.literal('auto'), z.int().min(1)]),
    good: fc.constantFrom('auto', 1, 5),
    bad: fc.oneof(fc.constantFrom(0, 'x', 1.5), junk),
  },
  {
    schema: z.union([z.literal([3, 5]), z.string().min(2)]),
    good: fc.constantFrom(3, 5, 'ab'),
    bad: fc.oneof(fc.constantFrom(4, 'x'), junk),
  },
  {
    schema: z.union([z.ipv4(), z.ipv6()]),
    good: fc.constantFrom('1.2.3.4', '::1'),
    bad: fc.oneof(fc.constantFrom('1.2.3', ':'), junk),
  },
  {
    schema: z.union([z.int().min(10), z.number().max(0)]),
    good: fc.constantFrom(10, -0.5, 0),
    bad: fc.oneof(fc.constantFrom(9, 10.5, 0.5), junk),
  },
  { schema: z.unknown(), good: junk, bad: junk },
  { schema: z.enum(['a', 'b']).nullable(), good: fc.constantFrom('a', null), bad: fc.oneof(fc.constant('c'), junk) },
  { schema: z.literal([1, 2, null]), good: fc.constantFrom(1, null), bad: fc.oneof(fc.constant(3), junk) },
  { schema: z.union([z.string(), z.int(), z.null()]), good: fc.constantFrom('x', 1, null), bad: junk },
);

/** Any schema of single values. */
export const scalar = fc.oneof(
  { arbitrary: fc.constantFrom(...formats), weight: 4 },
  { arbitrary: bounded, weight: 2 },
  { arbitrary: numbers, weight: 3 },
  { arbitrary: constants, weight: 3 },
);
