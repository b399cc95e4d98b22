// What `deploy` and `undeploy` take for their own, on the real API server: nothing that somebody else has made.
import {
  type Client,
  ClusterRole,
  ConfigMap,
  Deployment,
  type KubernetesObject,
  Lease,
  Namespace,
  PersistentVolumeClaim,
  Role,
  Secret,
  Service,
  ServiceAccount,
} from '@kurator/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { lazy } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { type TestScope, testScope } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployOperator } from '../src/deploy/deploy.ts';
import { undeployOperator } from '../src/deploy/undeploy.ts';
import type { OperatorDescription } from '../src/manifests/description.ts';
import { exampleSource } from '../src/olm/example-source.ts';

let test: TestScope;
let client: Client;
beforeAll(async () => {
  test = await testScope('owned');
  client = test.client;
});
afterAll(async () => await test.end());

const everywhere = { namespaced: exampleSource.operator.permissions.namespaced, cluster: [] };

/** An operator of its own for each test, in a namespace that is not there yet. */
function operatorCalled(suffix: string): OperatorDescription & { namespace: string } {
  const name = `${test.namespace}-${suffix}`;
  const permissions = { ...exampleSource.operator.permissions, ...everywhere };
  return { ...exampleSource.operator, name, namespace: name, permissions, crds: [], webhooks: true };
}

async function deploy(description: OperatorDescription, options: { forceConflicts?: boolean; dryRun?: boolean } = {}) {
  const session = fakeSession();
  const given = { wait: false, timeout: '10s', ...options };
  await lazy(session, async () => async (context, all: typeof given) => {
    return await deployOperator(client, description, context, all);
  })(given, undefined);
  return session.said;
}

async function undeploy(description: OperatorDescription, by: Client = client) {
  const session = fakeSession();
  const given = { timeout: '30s' };
  await lazy(session, async () => async (context, all: typeof given) => {
    return await undeployOperator(by, description, context, all);
  })(given, undefined);
  return session.said;
}

const inventoryOf = ({ name, namespace = name }: OperatorDescription) => ({ name: `${name}-inventory`, namespace });

async function edit(description: OperatorDescription, change: (items: object[]) => object[]): Promise<void> {
  const { data } = await client.get(ConfigMap, inventoryOf(description));
  const inventory = JSON.parse(data?.['inventory.json'] ?? '') as { items: object[] };
  const text = JSON.stringify({ ...inventory, items: change(inventory.items) });
  await client.patch(ConfigMap, inventoryOf(description), { data: { 'inventory.json': text } });
}

async function isThere(name: string): Promise<boolean> {
  const found = await client.find(Namespace, { name });
  return found !== undefined && found.metadata.deletionTimestamp === undefined;
}

describe('a namespace that deploy made', () => {
  it('stays with the data of an object of the whole cluster, which does not go with it', async () => {
    const garden = operatorCalled('data');
    expect(await deploy(garden)).toMatchObject({ code: 0 });
    const owner = await client.get(ClusterRole, { name: 'view' });
    const { apiVersion, kind, metadata } = owner;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }];
    const data = { name: 'data', namespace: garden.namespace, ownerReferences };
    await client.create(PersistentVolumeClaim, {
      metadata: data,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await client.create(Secret, { metadata: data });
    const { stdout } = await undeploy(garden);
    expect(stdout).toContain(`the namespace ${garden.name} stays, with PersistentVolumeClaim data, Secret data.`);
    expect(await isThere(garden.name)).toBe(true);
    expect(await client.find(Secret, data)).toBeDefined();
  });

  it('goes with what the operator’s own objects own', async () => {
    const garden = operatorCalled('children');
    expect(await deploy(garden)).toMatchObject({ code: 0 });
    const below = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubernetesObject) => {
      return { namespace: garden.namespace, ownerReferences: [{ apiVersion, kind, name, uid }] };
    };
    const child = await client.create(ConfigMap, {
      metadata: { name: 'child', ...below(await client.get(Deployment, garden)) },
    });
    await client.create(ConfigMap, { metadata: { name: 'grandchild', ...below(child) } });
    expect((await undeploy(garden)).stdout).toBe(`${garden.name} is gone.\n`);
    expect(await isThere(garden.name)).toBe(false);
  });

  it('stays with what has come into it while the operator was being deleted', async () => {
    const garden = operatorCalled('late');
    expect(await deploy(garden)).toMatchObject({ code: 0 });
    const late = { name: 'late', namespace: garden.namespace };
    const slow = new Proxy(client, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        if (key !== 'delete') return value.bind(target);
        return async (type: typeof Service, ...rest: [never, never]) => {
          if (type.kind === 'ServiceAccount') await client.create(Secret, { metadata: late });
          return await target.delete(type, ...rest);
        };
      },
    });
    expect((await undeploy(garden, slow)).stdout).toContain(`the namespace ${garden.name} stays, with Secret late.`);
    expect(await isThere(garden.name)).toBe(true);
  });

  it('stays with what only bears the operator’s label', async () => {
    const garden = operatorCalled('labelled');
    expect(await deploy(garden)).toMatchObject({ code: 0 });
    const labels = { 'app.kubernetes.io/name': garden.name };
    await client.create(ConfigMap, { metadata: { name: 'mine', namespace: garden.namespace, labels } });
    expect((await undeploy(garden)).stdout).toContain('stays, with ConfigMap mine.');
  });
});

it('deletes nothing of another operator that an edited inventory names', async () => {
  const [garden, pond] = [operatorCalled('garden'), operatorCalled('pond')];
  expect(await deploy(garden)).toMatchObject({ code: 0 });
  expect(await deploy(pond)).toMatchObject({ code: 0 });
  const theirs = [
    await client.get(ServiceAccount, pond),
    await client.get(Service, { name: `${pond.name}-metrics`, namespace: pond.namespace }),
    await client.get(ClusterRole, { name: pond.name }),
  ];
  const named = theirs.map(({ apiVersion, kind, metadata: { name, namespace, uid } }) => {
    return { apiVersion, kind, name, namespace, uid };
  });
  const areThere = async () => [
    await client.find(ServiceAccount, pond),
    await client.find(Service, { name: `${pond.name}-metrics`, namespace: pond.namespace }),
    await client.find(ClusterRole, { name: pond.name }),
  ];
  await edit(garden, (items) => [...items, ...named]);
  expect((await deploy(garden)).stdout).not.toContain('removed');
  await edit(garden, (items) => [...items, ...named]);
  expect(await undeploy(garden)).toMatchObject({ code: 0 });
  expect((await areThere()).map((each) => each?.metadata.uid)).toEqual(theirs.map(({ metadata }) => metadata.uid));
  expect(await undeploy(pond)).toMatchObject({ code: 0 });
});

it('knows after a deployment that failed in the middle what it has made', async () => {
  const garden = operatorCalled('half');
  const role = { name: garden.name, namespace: 'default' };
  const half = await deploy({ ...garden, namespaces: ['default', `${garden.name}-missing`] });
  expect(half.code).toBe(1);
  expect(await client.find(Role, role)).toBeDefined();
  expect(await client.find(Deployment, garden)).toBeUndefined();
  const whole = await deploy(garden);
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('2 removed that it had before') });
  expect(await client.find(Role, role)).toBeUndefined();
  expect((await undeploy(garden)).stdout).toBe(`${garden.name} is gone.\n`);
  expect(await isThere(garden.name)).toBe(false);
});

it('takes away what is left of a deployment that failed in the middle', async () => {
  const garden = operatorCalled('cut');
  const role = { name: garden.name, namespace: 'default' };
  expect((await deploy({ ...garden, namespaces: ['default', `${garden.name}-missing`] })).code).toBe(1);
  expect((await undeploy(garden)).stdout).toBe(`${garden.name} is gone.\n`);
  expect(await client.find(Role, role)).toBeUndefined();
  expect(await isThere(garden.name)).toBe(false);
});

describe('without an inventory, as earlier versions left it', () => {
  const forget = async (description: OperatorDescription) => await client.delete(ConfigMap, inventoryOf(description));

  it('deploy removes the rights that it does not give any more', async () => {
    const garden = operatorCalled('old');
    const [whole, narrow] = [{ name: garden.name }, { name: garden.name, namespace: 'default' }];
    expect(await deploy(garden)).toMatchObject({ code: 0 });
    await forget(garden);
    expect(await deploy({ ...garden, namespaces: ['default'] })).toMatchObject({ code: 0 });
    expect(await client.find(ClusterRole, whole)).toBeUndefined();
    await forget(garden);
    expect(await deploy(garden)).toMatchObject({ code: 0 });
    expect(await client.find(ClusterRole, whole)).toBeDefined();
    expect(await client.find(Role, narrow)).toBeUndefined();
    expect(await undeploy(garden)).toMatchObject({ code: 0 });
  });

  it('undeploy knows where it worked', async () => {
    const garden = { ...operatorCalled('older') };
    expect(await deploy({ ...garden, namespaces: ['default'] })).toMatchObject({ code: 0 });
    await forget(garden);
    expect(await undeploy(garden)).toMatchObject({ code: 0 });
    expect(await client.find(Role, { name: garden.name, namespace: 'default' })).toBeUndefined();
    expect(await client.find(Deployment, garden)).toBeUndefined();
  });

  it('one of the same name in another namespace keeps its rights', async () => {
    const garden = operatorCalled('first');
    const second = { ...garden, namespace: `${garden.name}-second` };
    expect(await deploy(garden)).toMatchObject({ code: 0 });
    expect(await deploy({ ...second, namespaces: ['default'] })).toMatchObject({ code: 0 });
    await forget(second);
    expect(await deploy({ ...second, namespaces: ['default'] })).toMatchObject({ code: 0 });
    await forget(second);
    expect(await undeploy({ ...second, namespaces: ['default'] })).toMatchObject({ code: 0 });
    expect(await client.find(ClusterRole, { name: garden.name })).toBeDefined();
    expect(await undeploy(garden)).toMatchObject({ code: 0 });
  });
});

it('writes into nothing that somebody else has made, unless told to', async () => {
  const garden = { ...operatorCalled('merged'), namespace: test.namespace };
  const account = { name: garden.name, namespace: test.namespace };
  await client.create(ServiceAccount, { metadata: account });
  const refused = await deploy(garden);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`ServiceAccount ${test.namespace}/${garden.name}`),
  });
  expect(refused.stderr).toContain('--force-conflicts');
  expect((await client.get(ServiceAccount, account)).metadata.labels).toBeUndefined();
  expect(await client.find(Deployment, account)).toBeUndefined();
  expect(await client.find(ConfigMap, inventoryOf(garden))).toBeUndefined();
  expect(await deploy(garden, { forceConflicts: true })).toMatchObject({ code: 0 });
  expect(await undeploy(garden)).toMatchObject({ code: 0 });
  expect(await client.find(ServiceAccount, account)).toBeUndefined();
});

it('leaves registrations, keys and a Lease that somebody else has made under the operator’s names', async () => {
  const garden = { ...operatorCalled('own'), namespace: test.namespace, authorizedMetrics: true };
  expect(await deploy(garden)).toMatchObject({ code: 0 });
  const at = { name: garden.name, namespace: test.namespace };
  const keys = { ...at, name: `${garden.name}-webhooks` };
  const ours = { labels: { 'app.kubernetes.io/managed-by': garden.name } };
  await client.create(ValidatingWebhookConfiguration, { metadata: { name: garden.name } });
  await client.create(MutatingWebhookConfiguration, { metadata: { name: garden.name, ...ours } });
  const metrics = { ...at, name: `${garden.name}-metrics` };
  await client.create(Secret, { metadata: keys });
  await client.create(Secret, { metadata: { ...metrics, ...ours } });
  await client.create(Lease, { metadata: at }, { fieldManager: 'somebody' });
  expect(await undeploy(garden)).toMatchObject({ code: 0 });
  expect(await client.find(ValidatingWebhookConfiguration, { name: garden.name })).toBeDefined();
  expect(await client.find(MutatingWebhookConfiguration, { name: garden.name })).toBeUndefined();
  expect(await client.find(Secret, keys)).toBeDefined();
  expect(await client.find(Secret, metrics)).toBeUndefined();
  expect(await client.find(Lease, at)).toBeDefined();
  await client.delete(ValidatingWebhookConfiguration, { name: garden.name });
});

it.each([
  ['no JSON', 'inventory: yes'],
  ['no inventory', '{"items":[{"kind":"Role"}]}'],
])('says what helps where the inventory is %s', async (sort, text) => {
  const garden = operatorCalled(sort.replace(' ', '-').toLowerCase());
  expect(await deploy(garden)).toMatchObject({ code: 0 });
  await client.patch(ConfigMap, inventoryOf(garden), { data: { 'inventory.json': text } });
  for (const said of [await deploy(garden), await undeploy(garden)]) {
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('kubectl delete configmap') });
    expect(said.stderr).toContain('is not the inventory');
  }
  await client.delete(ConfigMap, inventoryOf(garden));
  expect((await undeploy(garden)).stdout).toBe(`${garden.name} is gone.\n`);
});
