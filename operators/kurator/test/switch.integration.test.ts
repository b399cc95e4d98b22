// The switch of the whole cluster, on an API server of its own: nobody else's tests may be switched off with it.
import { conditionOf, Deployment, Event, hasCode, Namespace, waitFor } from '@kurator/sdk';
import { type Cluster, eventually, recordRequests, testCluster } from '@kurator/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Kurator } from '../src/resources/kurator.ts';
import { KuratorSwitch } from '../src/resources/kurator-switch.ts';
import { type HealerWorld, healerWorld, quickCheck } from './support/healing/healer-world.ts';
import type { StagedPod, StagedService } from './support/healing/stage-service.ts';

let cluster: Cluster;
let round: HealerWorld;
let web: StagedService;
let namespaces = 0;
const reference = { name: 'cluster' };
const patient = { timeout: '30s' } as const;

beforeAll(async () => {
  cluster = await testCluster({ nodes: 0 });
});
afterAll(async () => await cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  const connection = await cluster.client();
  const namespace = `switch-${++namespaces}`;
  await connection.create(Namespace, { metadata: { name: namespace } });
  round = await healerWorld({ ...recordRequests(connection), namespace, end: async () => await connection.close() });
  web = await round.stage('web');
});
afterEach(async () => {
  await round.client.delete(KuratorSwitch, reference).catch(() => {});
  await round[Symbol.asyncDispose]();
});

/** As a person with kubectl does it. */
const turn = async (mode: string, more: object = {}) =>
  await round.client.apply(
    KuratorSwitch,
    { metadata: reference, spec: { mode, ...more } as never },
    { fieldManager: 'kubectl', force: true },
  );
const obeyed = async (mode: string) =>
  await waitFor(round.client, KuratorSwitch, reference, ({ status }) => status?.mode === mode, { timeout: 30_000 });
const fallIll = (pod = web.pods[1] as StagedPod): StagedPod => {
  pod.status = 500;
  return pod;
};
const isGone = async ({ name }: StagedPod) =>
  await eventually(async () => expect(await web.podNames()).not.toContain(name), patient);
const evictions = () => round.requests.all.filter(({ subresource }) => subresource === 'eviction').length;

describe('the switch of the cluster', () => {
  it.each([
    ['another name', 'other', { mode: 'Off' }, 'its name is cluster'],
    ['another mode', 'cluster', { mode: 'off' }, 'spec.mode'],
  ])('is refused with %s', async (_, name, spec, message) => {
    const made = round.client.create(KuratorSwitch, { metadata: { name }, spec: spec as never });
    await expect(made).rejects.toSatisfy((error: Error) => {
      expect(error.message).toContain(message);
      return hasCode(error, 'KUR_CLIENT_INVALID');
    });
  });

  it('leaves a pod that hangs alone while it observes, says what it would do, and has it done once it is on', async () => {
    await turn('Observe', { by: 'ann', reason: 'first week' });
    await round.adopt('web');
    await round.start();
    await round.untilHealth('web', 'Healthy');
    const ill = fallIll();
    const { status } = await round.untilStage('web-1', 'proposed');
    expect(status?.proposal).toMatchObject({
      step: 'replace',
      reason: expect.stringContaining(`would replace ${ill.name} now`),
    });
    expect(status?.actions).toEqual([]);
    expect(evictions()).toBe(0);
    const { items } = await round.client.list(Event, { namespace: 'default' });
    expect(items.filter(({ reason }) => reason === 'SwitchedObserve')).toMatchObject([
      { involvedObject: { kind: 'KuratorSwitch' }, message: expect.stringContaining('set by ann: first week') },
    ]);
    await turn('On');
    await isGone(ill);
    await web.addPod();
    await round.untilStage('web-1', 'closed');
    expect(evictions()).toBe(1);
  });

  it('is obeyed in the middle of a repair: what was begun is on record, and nothing more begins', async () => {
    await round.adopt('web', { recovery: { maxUnavailable: 1 } });
    await round.start();
    await round.untilHealth('web', 'Healthy');
    const first = fallIll(web.pods[0]);
    await eventually(() => expect(evictions()).toBe(1), patient);
    await turn('Off', { by: 'ann' });
    await obeyed('Off');
    // Not before: it would go on with the second one as soon as the first is gone, which may be before it is switched off.
    const second = fallIll(web.pods[1]);
    await web.addPod();
    // On, it would go on with the second one now.
    await eventually(async () => {
      const { status } = await round.kurator('web');
      expect(status).toMatchObject({ health: 'Paused', ready: '2/3' });
    }, patient);
    const { status } = await round.incident('web-1');
    expect(status?.actions).toMatchObject([{ kind: 'evict', outcome: 'done' }]);
    expect(evictions()).toBe(1);
    const turnedOnAt = Date.now();
    await turn('On');
    await isGone(first);
    await isGone(second);
    const { actions = [] } = (await round.incident('web-1')).status ?? {};
    const [, ...later] = actions.map(({ at }) => Date.parse(at));
    expect(Math.min(...later)).toBeGreaterThanOrEqual(turnedOnAt);
  });

  it('keeps Kurator from making, changing and deleting what it owns', async () => {
    const self = { name: 'shop', namespace: round.namespace };
    const service = { image: 'shop:1', port: 8080 };
    await turn('Observe');
    await round.client.create(Kurator, { metadata: self, spec: { service, checks: [quickCheck] } as never });
    await round.start();
    const condition = async () => conditionOf((await round.kurator('shop')).status?.conditions, 'Ready');
    await eventually(async () => expect(await condition()).toMatchObject({ reason: 'NotApplied' }), patient);
    expect(await round.client.find(Deployment, self)).toBeUndefined();
    await turn('On');
    const made = await waitFor(round.client, Deployment, self, () => true, { timeout: 30_000 });
    await turn('Off');
    await obeyed('Off');
    await round.client.patch(Kurator, self, { spec: { service: { image: 'shop:2' } } });
    await eventually(async () => {
      const { status, metadata } = await round.kurator('shop');
      expect(status?.observedGeneration).toBe(metadata.generation);
    }, patient);
    const { metadata } = await round.client.get(Deployment, self);
    expect(metadata).toMatchObject({ uid: made.metadata.uid, generation: made.metadata.generation });
  });
});

describe('what an installation begins with', () => {
  it('is what it says, until a person says otherwise: then that stays, whoever starts', async () => {
    const first = await round.start(round.client, { mode: 'Observe' });
    const { spec } = await obeyed('Observe');
    expect(spec).toMatchObject({ mode: 'Observe', by: 'the installation' });
    await turn('On', { by: 'ann' });
    await obeyed('On');
    await first.stop();
    await round.adopt('web');
    await round.start(round.client, { mode: 'Observe' });
    await round.untilHealth('web', 'Healthy');
    await isGone(fallIll());
    expect((await round.client.get(KuratorSwitch, reference)).spec).toMatchObject({ mode: 'On', by: 'ann' });
  });

  it('is to be on where nothing is said, as before there was a switch', async () => {
    await round.adopt('web');
    await round.start();
    await round.untilHealth('web', 'Healthy');
    await isGone(fallIll());
    expect(await round.client.find(KuratorSwitch, reference)).toBeUndefined();
  });
});
