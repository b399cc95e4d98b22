// The checked-in types are those of the API server that the tests run on; what they promise of a kind's address is true.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap, type ResourceType } from '@kurator/client';
import { HorizontalPodAutoscaler } from '@kurator/client/autoscaling/v2';
import { NetworkPolicy } from '@kurator/client/networking/v1';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeApi } from '../scripts/openapi.ts';
import { generateTypes } from '../scripts/type-generator.ts';
import { type Place, place } from './api-server.ts';

const folder = join(import.meta.dirname, '..', 'src', 'generated');
const checkedIn = globSync('*/*.ts', { cwd: folder }).sort();

let here: Place;
beforeAll(async () => {
  here = await place();
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
});

it('the types are what the generator makes of the API server', async () => {
  const { schemas, resources } = await describeApi(here.client);
  const files = generateTypes(schemas, resources);
  expect(checkedIn).toEqual([...files.keys()].sort());
  for (const file of checkedIn) expect(await readFile(join(folder, file), 'utf8'), file).toBe(files.get(file));
});

it('every kind is where its type says', async () => {
  const modules = await Promise.all(checkedIn.map(async (file) => await import(join(folder, file))));
  const types = modules.flatMap((module) => Object.values(module) as ResourceType[]);
  expect(types.length).toBeGreaterThan(60);
  for (const { apiVersion, kind, plural, namespaced } of types) {
    expect(await here.client.discover(apiVersion, kind)).toMatchObject({ plural, namespaced });
  }
});

it('a kind that is not among the common ones is had by its group and version', async () => {
  const { client, namespace } = here;
  const policy = await client.create(NetworkPolicy, {
    metadata: { name: 'closed', namespace },
    spec: { podSelector: {}, policyTypes: ['Ingress'] },
  });
  expect(policy.spec?.policyTypes).toEqual(['Ingress']);
  const metrics = [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
  ];
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await client.create(HorizontalPodAutoscaler, {
    metadata: { name: 'web', namespace },
    spec: { maxReplicas: 3, scaleTargetRef, metrics },
  });
  // Types are checked by the compiler: this line does not compile when a field has the wrong type.
  // @ts-expect-error: data is a map of texts
  const wrong = () => client.create(ConfigMap, { metadata: { name: 'x', namespace }, data: { a: 1 } });
  expect(wrong).toBeTypeOf('function');
});
