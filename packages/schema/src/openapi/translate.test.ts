// What the reference's tables (reference.test.ts) are too narrow for: places, layers, and how parts work together.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { immutable, listMap, onlyInWebhook, rule } from '../index.ts';
import { placeAt } from './place.ts';
import { translate } from './translate.ts';

const openApi = (schema: z.ZodType) => translate(schema, placeAt('spec')).schema;

describe('an error', () => {
  it.each([
    [z.object({ ports: z.array(z.object({ name: z.date() })) }), 'spec.ports[].name'],
    [z.object({ labels: z.record(z.string(), z.bigint()) }), 'spec.labels.*'],
    [z.object({ 'a b': z.symbol() }), 'spec["a b"]'],
    [z.object({ probe: z.union([z.object({ tcp: z.date() }), z.object({})]) }), 'spec.probe.tcp'],
  ])('names the place: %#', (schema, path) => {
    expect(() => openApi(schema)).toThrow(expect.objectContaining({ path }));
  });

  it('says what is wrong and what to write, in one sentence', () => {
    expect(() => openApi(z.object({ at: z.date() }))).toThrow(
      "spec.at: zod's date can't be expressed: JSON has no Date; use z.iso.datetime(), a string",
    );
  });

  it('tells of a schema that contains itself, however it does so', () => {
    const tree = z.object({
      get children() {
        return z.array(tree);
      },
    });
    const list: z.ZodType = z.object({ next: z.lazy(() => list.optional()) });
    for (const schema of [tree, list]) {
      expect(() => openApi(schema)).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_RECURSIVE' }));
    }
  });

  it('does not come from a schema that is merely used twice', () => {
    const name = z.object({ name: z.string() });
    expect(openApi(z.object({ a: name, b: z.lazy(() => name) })).required).toEqual(['a', 'b']);
  });
});

describe('what is wrapped', () => {
  it('keeps what each layer says, and the outermost description', () => {
    const schema = z.string().describe('inner').min(1).optional().nullable().describe('outer');
    expect(openApi(schema)).toEqual({ description: 'outer', type: 'string', minLength: 1, nullable: true });
  });

  it('is required unless zod does without', () => {
    const shape = {
      plain: z.string(),
      optional: z.string().optional(),
      defaulted: z.string().default('x'),
      prefaulted: z.string().prefault('x'),
      nullish: z.string().nullish(),
      again: z.string().optional().nonoptional(),
      branded: z.string().brand('B').readonly(),
    };
    expect(openApi(z.object(shape)).required).toEqual(['plain', 'again', 'branded']);
  });

  it('takes defaults of objects as they are given, for the server to fill in the rest', () => {
    const inner = z.object({ a: z.int32().default(1) });
    expect(openApi(inner.prefault({})).default).toEqual({});
    expect(openApi(inner.default({ a: 2 })).default).toEqual({ a: 2 });
  });
});

describe('marks', () => {
  it('stay with a schema that is narrowed or wrapped afterwards', () => {
    const schema = rule(z.string(), "self != 'x'", 'not x').min(2).optional();
    expect(openApi(schema)).toMatchObject({ minLength: 2, 'x-kubernetes-validations': [{ rule: "self != 'x'" }] });
  });

  it('give rules in the order in which they were written', () => {
    const schema = rule(rule(z.string().max(9), 'one', '1'), 'two', '2').optional();
    expect(openApi(rule(schema, 'three', '3'))['x-kubernetes-validations']?.map(({ message }) => message)).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it('are checked by zod too, where there is something to check', () => {
    const odd = rule(z.int(), 'self % 2 == 1', 'must be odd', { check: (value) => value % 2 === 1 });
    expect(odd.safeParse(2).error?.issues[0]?.message).toBe('must be odd');
    expect(odd.optional().safeParse(undefined).success).toBe(true);
    const even = onlyInWebhook(z.int(), (value) => value % 2 === 0, 'must be even');
    expect(even.safeParse(1).error?.issues[0]?.message).toBe('must be even');
    expect(openApi(even)['x-kubernetes-validations']).toBeUndefined();
  });
});

describe('immutable', () => {
  const rulesOf = (field: z.ZodType) =>
    openApi(z.object({ field }))['x-kubernetes-validations']?.map(({ rule }) => rule);

  it('keeps a field from being removed, where it could be', () => {
    expect(rulesOf(immutable(z.string()))).toBeUndefined();
    expect(rulesOf(immutable(z.string().default('x')))).toBeUndefined();
    expect(rulesOf(immutable(z.string().optional()))).toEqual(['!has(oldSelf.field) || has(self.field)']);
    expect(rulesOf(immutable(z.string()).optional())).toEqual(['!has(oldSelf.field) || has(self.field)']);
    expect(rulesOf(immutable(z.string().nullable()))).toEqual(['!has(oldSelf.field) || has(self.field)']);
  });

  it('can forbid setting it later', () => {
    expect(rulesOf(immutable(z.string().optional(), { settable: false }))).toEqual([
      'has(oldSelf.field) == has(self.field)',
    ]);
  });

  it('works in lists whose items have keys', () => {
    const item = z.object({ name: z.string().max(9), fixed: immutable(z.string().max(9)).optional() });
    expect(() => openApi(listMap(item, ['name']).max(9))).not.toThrow();
    expect(() => openApi(z.array(item))).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_TRANSITION' }));
  });
});

describe('a discriminated union', () => {
  it('guards the rules of its members, and limits of fields that differ', () => {
    const schema = z.discriminatedUnion('kind', [
      rule(z.object({ kind: z.literal('a'), size: z.int32().min(1).max(5) }), 'self.size != 3', 'not 3'),
      z.strictObject({ kind: z.literal(['b', 'c']), size: z.int32().min(1).max(9), 'my-name': z.string().nullable() }),
    ]);
    expect(openApi(schema)).toEqual({
      type: 'object',
      required: ['kind', 'size'],
      properties: {
        kind: { type: 'string', enum: ['a', 'b', 'c'] },
        size: { type: 'integer', format: 'int32' },
        'my-name': { type: 'string', nullable: true },
      },
      anyOf: [
        { properties: { kind: { enum: ['a'] }, size: { minimum: 1, maximum: 5 } } },
        { properties: { kind: { enum: ['b', 'c'] }, size: { minimum: 1, maximum: 9 } }, required: ['my-name'] },
      ],
      'x-kubernetes-validations': [{ rule: "self.kind != 'a' || (self.size != 3)", message: 'not 3' }],
    });
  });

  it('names fields as CEL does', () => {
    const schema = z.discriminatedUnion('in', [
      z.object({ in: z.literal('a'), 'x-y': z.string() }),
      z.object({ in: z.literal('b') }),
    ]);
    expect(openApi(schema)['x-kubernetes-validations']?.[0]).toMatchObject({
      rule: "self.__in__ != 'a' || has(self.x__dash__y)",
      message: 'x-y is required when in is a',
    });
  });

  it('dissolves unions inside it that the same field tells apart', () => {
    const one = z.object({ t: z.literal('a') });
    const inner = z.discriminatedUnion('t', [z.object({ t: z.literal('b') }), z.object({ t: z.literal('c') })]);
    expect(openApi(z.discriminatedUnion('t', [one, inner])).properties?.t?.enum).toEqual(['a', 'b', 'c']);
  });
});

it('two objects that an intersection joins are one', () => {
  const joined = z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }));
  expect(openApi(joined).required).toEqual(['a', 'b']);
});
