// The rough copy of the server's estimate of what rules cost is held against the server itself.
import { type Client, hasCode } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { sharedClient } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { crdOf, immutable, listMap, mapOf, quantity, resource, rule, SchemaError } from '../src/index.ts';
import { uniqueGroup } from './support/install.ts';

let client: Client;

beforeAll(async () => {
  client = await sharedClient();
});
afterAll(() => client.close());

function declared(field: z.ZodType) {
  return resource({ group: uniqueGroup(), version: 'v1', kind: 'Costly', spec: z.object({ field }) });
}

const text = (max?: number) => (max ? z.string().max(max) : z.string());
const matching = (max?: number) => rule(text(max), "self.matches('^[a-z]+$')", 'small letters');
const named = (max?: number) => z.object({ name: z.string().max(63), fixed: immutable(text(max)) });
const tagged = z.discriminatedUnion('type', [
  z.object({ type: z.literal('a'), a: z.string() }),
  z.strictObject({ type: z.literal('b'), b: z.string() }),
]);

it.each<[what: string, affordable: boolean, schema: z.ZodType]>([
  ['a pattern in CEL on a text', true, matching()],
  ['the same in a list of 64', false, z.array(matching()).max(64)],
  ['the same with a bound on the text', true, z.array(matching(253)).max(64)],
  ['immutable texts in a list without a bound', false, listMap(named(), ['name'])],
  ['immutable texts with a bound in a list with one', true, listMap(named(253), ['name']).max(256)],
  ['unions in a list without a bound', true, z.array(tagged)],
  ['amounts with bounds in a map without one', false, z.record(z.string(), quantity({ min: '1' }))],
  ['amounts with bounds in a map with one', true, mapOf(z.string(), quantity({ min: '1' }), { max: 64 })],
  [
    'keys with a pattern in maps in a list without a bound',
    false,
    z.array(mapOf(z.string().regex(/^a/).max(9), text(9), { max: 99 })),
  ],
  ['keys with a pattern in a map without a bound', true, z.record(z.string().regex(/^a/).max(9), text())],
])('%s: affordable is %s, to us and to the server', async (_, affordable, schema) => {
  const type = declared(schema);
  if (!affordable) {
    expect(() => crdOf(type)).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_UNBOUNDED' }));
    return;
  }
  await expect(client.create(CustomResourceDefinition, crdOf(type), { dryRun: true })).resolves.toBeDefined();
});

it('what is refused here the server would refuse as well', async () => {
  // The same rule where it is not noticed here: on the parent, by another name.
  const schema = z.object({ list: z.array(z.object({ name: z.string() })) });
  const type = declared(rule(schema, "self.list.all(item, item.name.matches('^[a-z]+$'))", 'small letters'));
  expect(() => crdOf(type)).not.toThrow(SchemaError);
  const failure = await client.create(CustomResourceDefinition, crdOf(type), { dryRun: true }).catch((error) => error);
  expect(hasCode(failure, 'KUR_CLIENT_INVALID') && failure.message).toContain('estimated rule cost exceeds budget');
});
