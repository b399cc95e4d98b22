// What zod takes the API server takes, and what zod refuses the API server refuses: random schemas, random values.
import { type Client, hasCode } from '@kurator/client';
import { sharedClient, testNamespace } from '@kurator/testenv';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { crdOf, type Resource, resource, SchemaError } from '../src/index.ts';
import { install, uniqueGroup } from './support/install.ts';
import type { Candidate } from './support/random-scalar.ts';
import { candidates } from './support/random-schema.ts';

const SCHEMAS = 120;
const SCHEMAS_A_CRD = 40;
const VALUES_A_SCHEMA = 12;
const seed = Number(process.env.KURATOR_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

let client: Client;
let namespace: string;

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'agreement');
});
afterAll(() => client.close());

interface Field {
  name: string;
  candidate: Candidate;
}

/** Many schemas share a CRD, each as a field of its own: a CRD takes the server a second. */
function resourceOf(fields: readonly Field[]): Resource {
  const shape = Object.fromEntries(fields.map(({ name, candidate }) => [name, candidate.schema.optional()]));
  return resource({ group: uniqueGroup(), version: 'v1', kind: 'Random', spec: z.object(shape) });
}

/** Some random schemas are inexpressible; that they are refused in words is tested elsewhere. */
function isExpressible(candidate: Candidate): boolean {
  try {
    crdOf(resourceOf([{ name: 'f', candidate }]));
    return true;
  } catch (error) {
    if (error instanceof SchemaError) return false;
    throw error;
  }
}

async function serverTakes(type: Resource, spec: object): Promise<string | undefined> {
  try {
    await client.create(
      type,
      { metadata: { generateName: 'random-', namespace }, spec },
      { dryRun: true, fieldValidation: 'Ignore' },
    );
    return undefined;
  } catch (error) {
    if (hasCode(error, 'KUR_CLIENT_INVALID')) return error.message;
    throw error;
  }
}

async function disagreements(type: Resource, { name, candidate }: Field, index: number): Promise<string[]> {
  const { schema, good, bad } = candidate;
  const values = fc.sample(fc.oneof(good, bad), { numRuns: VALUES_A_SCHEMA, seed: seed + index });
  const found = await Promise.all(
    values.map(async (value) => {
      const zod = z.object({ [name]: schema }).safeParse({ [name]: value });
      const refusal = await serverTakes(type, { [name]: value });
      if (zod.success === (refusal === undefined)) return [];
      const said = zod.success
        ? `zod takes it, the server says: ${refusal}`
        : `the server takes it, zod says: ${zod.error}`;
      const declared = JSON.stringify(
        crdOf(type).spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec?.properties?.[name],
      );
      return [`${JSON.stringify(value)}: ${said}\n  ${declared}`];
    }),
  );
  return found.flat();
}

it('the server and zod agree on random values of random schemas', { timeout: 120_000 }, async () => {
  const sampled = fc.sample(candidates, { numRuns: SCHEMAS, seed });
  const usable = sampled.filter(isExpressible);
  expect(usable.length).toBeGreaterThan(SCHEMAS / 2);
  const problems: string[] = [];
  for (let start = 0; start < usable.length; start += SCHEMAS_A_CRD) {
    const fields = usable
      .slice(start, start + SCHEMAS_A_CRD)
      .map((candidate, index) => ({ name: `f${index}`, candidate }));
    const type = resourceOf(fields);
    await install(client, type);
    for (const [index, field] of fields.entries()) problems.push(...(await disagreements(type, field, start + index)));
  }
  expect(problems.slice(0, 5), `KURATOR_TEST_SEED=${seed}, ${problems.length} disagreements`).toEqual([]);
});
