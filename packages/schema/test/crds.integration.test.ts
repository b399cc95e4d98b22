// CRDs that others wrote, and changes of CRDs, as the real server sees them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, hasCode } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { compareCrds, crdOf, resource, resourceFromCrd } from '../src/index.ts';
import type { SiteCertificate } from './fixtures/site-certificate.types.ts';
import { install, installCrd, uniqueGroup } from './support/install.ts';

let client: Client;
let namespace: string;

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'crds');
});
afterAll(() => client.close());

function fixture(name: string): CustomResourceDefinition {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8'));
}

it.each(['site-certificate', 'database-cluster', 'team-quota'])(
  'the fixture %s is a CRD that the server takes',
  async (name) => {
    await client.create(CustomResourceDefinition, fixture(name), { dryRun: true });
  },
);

it('objects of a CRD that is read from the cluster can be written and read', async () => {
  const crd = fixture('site-certificate');
  await installCrd(client, crd, resourceFromCrd(crd));
  const installed = await client.get(CustomResourceDefinition, { name: crd.metadata.name });
  const type = resourceFromCrd(installed);
  const spec: SiteCertificate['spec'] = { issuerRef: { name: 'ca' }, privateKey: { algorithm: 'RSA' } };
  const made = await client.create(type, { metadata: { name: 'a', namespace }, spec });
  expect(made.spec.privateKey).toEqual({ algorithm: 'RSA', rotationPolicy: 'Always' });
  // The server has filled in names and conditions, and nothing that matters.
  expect(compareCrds(installed, crd)).toEqual([]);
});

it('what is found breaking about a dropped version, the server refuses', async () => {
  const spec = z.object({ a: z.string().optional() });
  const names = { group: uniqueGroup(), kind: 'Moved', spec };
  const old = resource({ ...names, version: 'v1' });
  await install(client, old);
  const name = crdOf(old).metadata.name;
  const installed = await client.get(CustomResourceDefinition, { name });
  const next = crdOf(resource({ ...names, version: 'v2' }));
  expect(compareCrds(installed, next)[0]).toMatchObject({ path: 'v1', severity: 'breaking' });
  const failure = await client
    .replace(CustomResourceDefinition, { ...next, metadata: installed.metadata })
    .catch((error: unknown) => error);
  expect(hasCode(failure, 'KUR_CLIENT_INVALID') && failure.message).toContain('status.storedVersions');
});
