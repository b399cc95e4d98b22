import type { CustomResourceDefinition, JSONSchemaProps } from '@kurator/client/apiextensions/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compareCrds, crdOf, listMap, resource, rule, uniqueList } from '../index.ts';

const names = { group: 'example.com', version: 'v1', kind: 'App' };
const crd = (spec: z.ZodType<object>, more: Partial<Parameters<typeof resource>[0]> = {}) =>
  crdOf(resource({ ...names, ...more, spec }));
const findings = (before: z.ZodType, next: z.ZodType) =>
  compareCrds(crd(z.object({ field: before })), crd(z.object({ field: next }))).map(
    ({ path, severity, reason }) => `${severity} ${path}: ${reason}`,
  );

describe('a change of a field', () => {
  it.each<[what: string, before: z.ZodType, next: z.ZodType, finding: RegExp]>([
    ['another type', z.string(), z.boolean(), /^breaking v1: spec.field: the type was string and is boolean/],
    ['a wider type', z.int(), z.number(), /^warning v1: spec.field: the type is wider, number instead of integer/],
    [
      'a map instead of an object',
      z.object({ a: z.string() }),
      z.record(z.string(), z.string()),
      /^breaking v1: spec.field: the type was object and is map/,
    ],
    [
      'a removed field',
      z.object({ a: z.string().optional() }),
      z.object({}),
      /^breaking v1: spec.field.a: the field is gone/,
    ],
    [
      'a new required field',
      z.object({}),
      z.object({ a: z.string() }),
      /^breaking v1: spec.field.a: the field is required now/,
    ],
    ['a raised minimum', z.int32().min(1), z.int32().min(2), /^breaking v1: spec.field: minimum was 1 and is 2/],
    ['a new length', z.string(), z.string().max(5), /^breaking v1: spec.field: maxLength 5 is new/],
    [
      'a smaller list',
      z.array(z.string()).max(5),
      z.array(z.string()).max(4),
      /^breaking v1: spec.field: maxItems was 5 and is 4/,
    ],
    ['a removed choice', z.enum(['a', 'b']), z.enum(['a', 'c']), /^breaking v1: spec.field: b is not allowed any more/],
    ['new choices', z.string(), z.enum(['a']), /^breaking v1: spec.field: only a are allowed now/],
    ['a new pattern', z.string(), z.string().regex(/^a/), /^breaking v1: spec.field: pattern "\^a" is new/],
    [
      'another pattern',
      z.string().regex(/^a/),
      z.string().regex(/^b/),
      /^warning v1: spec.field: pattern is another one/,
    ],
    [
      'a new rule',
      z.string().max(9),
      rule(z.string().max(9), "self != 'x'", 'not x'),
      /^breaking v1: spec.field: the rule "self != 'x'" is new/,
    ],
    ['no more null', z.string().nullable(), z.string(), /^breaking v1: spec.field: null is not allowed any more/],
    [
      'another default',
      z.string().default('a'),
      z.string().default('b'),
      /^warning v1: spec.field: the default was "a" and is "b" now/,
    ],
    ['no more unknown fields', z.looseObject({}), z.object({}), /^breaking v1: spec.field: unknown fields were kept/],
    [
      'a set instead of a list',
      z.array(z.string()),
      uniqueList(z.string()),
      /^breaking v1: spec.field: the list was atomic and is set/,
    ],
    [
      'a list instead of a set',
      uniqueList(z.string()),
      z.array(z.string()),
      /^warning v1: spec.field: the list was set and is atomic/,
    ],
    [
      'other keys',
      listMap(z.object({ a: z.string(), b: z.string() }), ['a']),
      listMap(z.object({ a: z.string(), b: z.string() }), ['a', 'b']),
      /^breaking v1: spec.field: .*other keys/,
    ],
    ['a change in a list', z.array(z.int32()), z.array(z.int32().max(5)), /^breaking v1: spec.field\[\]: maximum was/],
    [
      'a change in a map',
      z.record(z.string(), z.int32()),
      z.record(z.string(), z.int32().max(5)),
      /^breaking v1: spec.field\.\*: maximum was/,
    ],
  ])('is found: %s', (_, before, next, finding) => {
    expect(findings(before, next)).toEqual([expect.stringMatching(finding)]);
  });

  it.each<[what: string, before: z.ZodType, next: z.ZodType]>([
    ['a new optional field', z.object({}), z.object({ a: z.string().optional() })],
    ['a new field with a default', z.object({}), z.object({ a: z.string().default('x') })],
    ['a required field that is optional now', z.object({ a: z.string() }), z.object({ a: z.string().optional() })],
    ['a lowered minimum', z.int32().min(2), z.int32().min(1)],
    ['a new choice', z.enum(['a']), z.enum(['a', 'b'])],
    ['a rule less', rule(z.string().max(9), "self != 'x'", 'not x'), z.string().max(9)],
    [
      'another message',
      rule(z.string().max(9), "self != 'x'", 'not x'),
      rule(z.string().max(9), "self != 'x'", 'other'),
    ],
    ['another description', z.string().describe('a'), z.string().describe('b')],
    ['unknown fields kept', z.object({ a: z.string().optional() }), z.looseObject({})],
  ])('is harmless: %s', (_, before, next) => {
    expect(findings(before, next)).toEqual([]);
  });

  it('always comes with something to do about it', () => {
    const found = compareCrds(crd(z.object({ a: z.string() })), crd(z.object({ b: z.int() })));
    expect(found.every(({ remedy }) => remedy.length > 0)).toBe(true);
    expect(found.map(({ severity }) => severity)).toEqual(['breaking', 'breaking']);
  });
});

describe('a change of the kind', () => {
  const spec = z.object({});
  it.each([
    [{ scope: 'Cluster' as const }, 'spec.scope'],
    [{ plural: 'apps2' }, 'metadata.name'],
    [{ kind: 'Application', plural: 'apps' }, 'spec.names.kind'],
  ])('can not be made: %j', (more, path) => {
    expect(compareCrds(crd(spec), crd(spec, more))).toContainEqual(
      expect.objectContaining({ path, severity: 'breaking' }),
    );
  });

  it('may take names away that scripts use', () => {
    expect(compareCrds(crd(spec, { shortNames: ['a'] }), crd(spec))).toEqual([
      expect.objectContaining({ path: 'spec.names.shortNames', severity: 'warning' }),
    ]);
  });

  it('may take subresources and selectable fields away', () => {
    const replicas = z.object({ replicas: z.int32().optional() });
    const scale = { specReplicas: '.spec.replicas', statusReplicas: '.status.observedGeneration' };
    const before = crd(replicas, { scale, selectableFields: ['.spec.replicas'] });
    expect(compareCrds(before, crd(replicas)).map(({ path }) => path)).toEqual([
      'v1: subresources.scale',
      'v1: selectableFields',
    ]);
  });
});

describe('versions', () => {
  const spec = z.object({ a: z.string().optional() });
  const App = resource({ ...names, spec });
  const both = (more: object = {}) => crdOf(App.withVersion('v1beta1', { spec, ...more }));
  const stored = (of: CustomResourceDefinition, ...storedVersions: string[]) => ({ ...of, status: { storedVersions } });

  it('in which objects are stored can not be dropped', () => {
    const [first] = compareCrds(stored(both({ served: false }), 'v1beta1', 'v1'), crdOf(App));
    expect(first).toMatchObject({
      path: 'v1beta1',
      severity: 'breaking',
      reason: expect.stringContaining('may still be stored'),
    });
  });

  it('that nobody stores or serves go unnoticed', () => {
    expect(compareCrds(stored(both({ served: false }), 'v1'), crdOf(App))).toEqual([]);
  });

  it('that are served are missed, the more so without a warning', () => {
    const severity = (before: CustomResourceDefinition) => compareCrds(stored(before, 'v1'), crdOf(App))[0]?.severity;
    expect(severity(both())).toBe('breaking');
    expect(severity(both({ deprecated: true }))).toBe('warning');
    expect(compareCrds(both(), both({ served: false }))[0]).toMatchObject({ path: 'v1beta1', severity: 'breaking' });
  });

  it('are compared with each other where what is stored as one is read as the other', () => {
    const next = crdOf(resource({ ...names, version: 'v2', spec: z.object({}) }).withVersion('v1', { spec }));
    expect(compareCrds(crdOf(App), next).map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      'breaking v1 read as v2: spec.a',
      'warning v2',
    ]);
  });

  it('are no longer converted where the webhook goes', () => {
    const convert = { toHub: (object: never) => object, fromHub: (object: never) => object };
    const url = 'https://localhost/convert';
    const before = crdOf(App.withVersion('v2', { spec, convert }), { conversionWebhook: { url } });
    expect(compareCrds(before, crdOf(App.withVersion('v2', { spec })))).toContainEqual(
      expect.objectContaining({ path: 'spec.conversion', severity: 'breaking' }),
    );
  });
});

const schemas: fc.Arbitrary<JSONSchemaProps> = fc.letrec<{ schema: JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      { type: fc.constantFrom('string', 'integer'), minimum: fc.nat(3), maxLength: fc.nat(3), nullable: fc.boolean() },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(3) },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')),
      required: fc.subarray(['a', 'b']),
    }),
  ),
})).schema;

it('a CRD can always take its own place', () => {
  fc.assert(
    fc.property(schemas, (openAPIV3Schema) => {
      const same = crd(z.object({}));
      for (const version of same.spec.versions) version.schema = { openAPIV3Schema };
      expect(compareCrds(same, structuredClone(same))).toEqual([]);
    }),
  );
});
