// MyApp against the real API server, where nothing runs: what is made, what is said, and what is refused.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, Deployment, isNotFound, waitFor } from '@kurator/sdk';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MyApp, myapp } from '../src/index.ts';

let client: Client;
let namespace: string;
let stop: () => Promise<void>;

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'myapp');
  ({ stop } = await myapp.start({ client, namespaces: namespace, http: false, log: 'silent' }));
});

afterEach(async () => {
  await stop();
  await client.close();
});

const create = (spec: Partial<MyAppSpec>) =>
  client.create(MyApp, { metadata: { name: 'web', namespace }, spec: spec as MyAppSpec });
type MyAppSpec = { replicas: number; image: string };
const child = {
  name: 'web',
  get namespace() {
    return namespace;
  },
};

it('makes a Deployment and keeps it in step', async () => {
  await create({ replicas: 3, image: 'myapp:1' });
  const { spec, metadata } = await waitFor(client, Deployment, child, () => true);
  expect(spec).toMatchObject({ replicas: 3, template: { spec: { containers: [{ image: 'myapp:1' }] } } });
  expect(metadata.ownerReferences).toMatchObject([{ kind: 'MyApp', name: 'web', controller: true }]);

  await client.patch(MyApp, child, { spec: { replicas: 5, image: 'myapp:2' } });
  const isFive = ({ spec }: Deployment) =>
    spec?.replicas === 5 && spec.template.spec?.containers[0]?.image === 'myapp:2';
  await waitFor(client, Deployment, child, isFive);
});

it('takes the sample as it is', async () => {
  const { metadata, spec } = parse(await readFile(join(import.meta.dirname, '..', 'samples', 'myapp.yaml'), 'utf8'));
  await client.create(MyApp, { metadata: { ...metadata, namespace }, spec });
  const made = await waitFor(client, Deployment, { name: 'myapp-sample', namespace }, () => true);
  expect(made.spec).toMatchObject({ replicas: 3, template: { spec: { containers: [{ image: 'myapp:1.0' }] } } });
});

it('puts back what was changed or deleted by hand', async () => {
  await create({ replicas: 3, image: 'myapp:1' });
  const made = await waitFor(client, Deployment, child, () => true);
  await client.patch(Deployment, child, { spec: { replicas: 1 } });
  await waitFor(client, Deployment, child, ({ spec }) => spec?.replicas === 3);
  await client.delete(Deployment, child);
  await waitFor(client, Deployment, child, ({ metadata }) => metadata.uid !== made.metadata.uid);
});

it('says how far it is, and for which generation', async () => {
  await create({ replicas: 2, image: 'myapp:1' });
  const { status } = await waitFor(client, MyApp, child, ({ status }) => status !== undefined);
  expect(status).toMatchObject({
    readyReplicas: 0,
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status: 'False', reason: 'RollingOut', message: '0 of 2 replicas are ready' }],
  });
  await client.patch(
    Deployment,
    child,
    { status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, updatedReplicas: 2 } },
    { subresource: 'status' },
  );
  await waitFor(
    client,
    MyApp,
    child,
    ({ status }) => status?.readyReplicas === 2 && status.conditions?.[0]?.status === 'True',
  );
});

it('has one replica unless told otherwise', async () => {
  const { spec } = await create({ image: 'myapp:1' });
  expect(spec.replicas).toBe(1);
});

it.each([
  ['negative replicas', { replicas: -1, image: 'myapp:1' }, 'spec.replicas'],
  ['an empty image', { replicas: 1, image: '' }, 'spec.image'],
  ['no image', { replicas: 1 }, 'spec.image'],
  ['a broken number of replicas', { replicas: 1.5, image: 'myapp:1' }, 'spec.replicas'],
])('refuses %s, and names the field', async (_, spec, field) => {
  await expect(create(spec)).rejects.toThrow(field);
  await expect(client.get(MyApp, child)).rejects.toSatisfy(isNotFound);
});
