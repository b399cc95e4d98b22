// One operator, two control planes: watched in one, written to in the other, without one owner reference between them.
import {
  type Client,
  ConfigMap,
  createClient,
  loadKubeconfig,
  Namespace,
  Secret,
  waitFor,
  waitUntilGone,
} from '@kurator/client';
import { type Cluster, createCluster, sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { child, installCrds, operator, type RunningOperator } from '../src/index.ts';
import { Garden, quietly } from './support/garden.ts';

let west: Cluster;
let client: Client;
let far: Client;
let namespace: string;
let running: RunningOperator | undefined;

beforeAll(async () => {
  ({ cluster: west } = await createCluster({ name: `west-${process.pid}` }));
  far = createClient(await loadKubeconfig(west.kubeconfig));
});

afterAll(async () => {
  await far?.close();
  await west?.down();
});

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'garden');
  await far.create(Namespace, { metadata: { name: namespace } });
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await client.close();
});

const here = (name: string) => ({ name, namespace });
const plant = (by: Client, name: string, beds: string[]) => by.create(Garden, { metadata: here(name), spec: { beds } });
const bedsIn = async (cluster: Client) => {
  const { items } = await cluster.list(ConfigMap, { namespace, labelSelector: 'kurator.dev/managed-by' });
  return items.map(({ metadata }) => metadata.name).sort();
};

const gardener = () =>
  operator({ name: 'two-shores' })
    .cluster('west', west.kubeconfig)
    .controller(Garden)
    .owns(ConfigMap)
    .owns(ConfigMap, { cluster: 'west' })
    .watches(Secret, (secret) => secret.metadata.labels?.garden, { cluster: 'west', labels: 'garden' })
    .reconcile(async ({ metadata, spec }, { apply, applyAll, get, clusters, owned }) => {
      await apply(ConfigMap, { metadata: { name: `${metadata.name}-home` } });
      const bed = (name: string) =>
        child(ConfigMap, { metadata: { name }, data: { grows: name } }, { cluster: 'west' });
      await applyAll(Object.fromEntries(spec.beds.map((name) => [name, bed(name)])));
      const key = get(Secret, 'key', { cluster: 'west' });
      const asked = await clusters.west.find(Secret, here('key'));
      const planted = owned(ConfigMap, { cluster: 'west' }).length + (key && asked ? 100 : 0);
      return { status: { planted } };
    });
const untilPlanted = (planted: number) =>
  waitFor(client, Garden, here('rose'), ({ status }) => status?.planted === planted, {
    description: `to have ${planted}`,
  });

describe('an operator of two clusters', () => {
  it('writes children to the other one, puts them back, prunes them, and takes them with their object', async () => {
    running = await gardener().start(quietly(client, namespace));
    await plant(client, 'rose', ['a', 'b']);
    await untilPlanted(2);
    expect([await bedsIn(client), await bedsIn(far)]).toEqual([['rose-home'], ['a', 'b']]);
    expect((await far.get(ConfigMap, here('a'))).metadata.ownerReferences).toBeUndefined();

    await far.patch(ConfigMap, here('a'), { data: { grows: 'moss' } });
    await waitFor(far, ConfigMap, here('a'), ({ data }) => data?.grows === 'a');
    await far.delete(ConfigMap, here('b'));
    await waitFor(far, ConfigMap, here('b'), () => true);
    await client.patch(Garden, here('rose'), { spec: { beds: ['b'] } });
    await vi.waitFor(async () => expect(await bedsIn(far)).toEqual(['b']), 20_000);
    await client.delete(Garden, here('rose'));
    await waitUntilGone(client, Garden, here('rose'));
    expect(await bedsIn(far)).toEqual([]);
  });

  it('hears of what happens in the other one', async () => {
    running = await gardener().start(quietly(client, namespace));
    await plant(client, 'rose', []);
    await untilPlanted(0);
    await far.create(Secret, { metadata: { ...here('key'), labels: { garden: 'rose' } } });
    await untilPlanted(100);
  });

  it('leaves children of the same name in its own cluster alone', async () => {
    running = await gardener().start(quietly(client, namespace));
    await client.create(ConfigMap, { metadata: here('a'), data: { mine: 'yes' } });
    await plant(client, 'rose', ['a']);
    await untilPlanted(1);
    expect((await client.get(ConfigMap, here('a'))).data).toEqual({ mine: 'yes' });
  });

  it('can reconcile objects that are in the other one, and tell there how it went', async () => {
    await installCrds(far, [Garden]);
    const outpost = operator({ name: 'outpost' })
      .cluster('west', far)
      .controller(Garden, { cluster: 'west' })
      .owns(ConfigMap)
      .reconcile(
        async ({ metadata }, { apply }) => void (await apply(ConfigMap, { metadata: { name: metadata.name } })),
      );
    running = await outpost.start(quietly(client, namespace));
    await plant(far, 'tulip', []);
    const isReady = ({ status }: Garden) => status?.conditions?.[0]?.status === 'True';
    await waitFor(far, Garden, here('tulip'), isReady);
    expect((await far.get(ConfigMap, here('tulip'))).metadata.ownerReferences).toHaveLength(1);
    expect(await outpost.permissions()).toMatchObject({ namespaced: [], cluster: [] });
  });

  it('starts while the other one can’t be reached, for those that don’t need it', async () => {
    const unreachable = { server: 'https://127.0.0.1:9' };
    const patient = operator({ name: 'patient' })
      .cluster('west', unreachable)
      .controller(Garden, { name: 'near' })
      .reconcile(() => ({ status: { planted: 7 } }))
      .controller(Garden, { name: 'far', readyCondition: false })
      .owns(ConfigMap, { cluster: 'west' })
      .reconcile(() => {});
    running = await patient.start(quietly(client, namespace));
    await plant(client, 'rose', []);
    await untilPlanted(7);
  });
});
