/** Faults that come with a change, changes that come into a repair, and people who want nothing to be changed. */
import { Incident, Kurator } from '@kurator/operator-kurator';
import { conditionOf, Deployment, StatefulSet } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung, restarts, uids } from './support/healer/healer-world.ts';
import { answering, workload } from './support/healer/services.ts';
import { eventually } from './support/kubectl.ts';

let world: HealerWorld;
const broken = 'echo no such table; exit 1';

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-changes');
  await world.own('StatefulSet', 'ledger');
  await world.adopt('Deployment', 'shop', {}, { isProbed: true });
  await world.adopt('Deployment', 'cart', { recovery: { yieldFor: '5s' } });
  await world.own('Deployment', 'paused', { pause: true });
  await world.adopt('StatefulSet', 'dry', { dryRun: true });
  const limited = { requests: { cpu: '50m' }, limits: { cpu: '100m' } };
  const rate = { stabilisation: '5s', every: '1s', instances: 1, percent: 1 };
  const scaling = { min: 3, max: 4, targets: [{ cpu: 60 }], in: rate, out: rate };
  await world.adopt('Deployment', 'busy', { scaling }, { resources: limited });
  const all = ['ledger', 'shop', 'cart', 'dry', 'busy'];
  await Promise.all([...all.map((name) => world.untilHealthy(name)), world.untilProven('ledger')]);
  await world.untilProven('shop');
  await eventually(async () => expect((await world.status('paused')).healthyInstances).toBe(3));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const reference = (name: string) => ({ name, namespace: 'default' });

describe('a new revision that crashes', () => {
  it.concurrent('of an owned StatefulSet is rolled back once, and held back', async () => {
    const before = await world.pods('ledger');
    const good = await world.client.get(StatefulSet, reference('ledger'));
    await world.own('StatefulSet', 'ledger', {}, { script: broken });
    const status = await world.untilStage('ledger-1', 'closed');
    expect(status).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] });
    expect(status.evidence?.instances?.[0]?.logs).toContain('no such table');
    const held = await world.untilHealthy('ledger');
    expect(conditionOf(held.status?.conditions, 'Applied')).toMatchObject({ reason: 'HeldBack' });
    expect((await world.client.get(StatefulSet, reference('ledger'))).spec?.template).toEqual(good.spec?.template);
    // The rollout had come to the last of them, and no further.
    const after = uids(await world.pods('ledger'));
    expect(after).toEqual(expect.arrayContaining(uids(before.slice(0, -1))));
    await world.expectTold('ledger', 'ledger-1');
  });

  it.concurrent('of an adopted Deployment is rolled back once, and no instance that was well is touched', async () => {
    const before = await world.pods('shop');
    const { template } = workload('shop', { script: broken, isProbed: true }).spec;
    await world.client.patch(Deployment, reference('shop'), { spec: { template } });
    const status = await world.untilStage('shop-1', 'closed');
    expect(status).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] });
    await world.untilHealthy('shop');
    const { spec } = await world.client.get(Deployment, reference('shop'));
    expect(spec?.template.spec?.containers[0]?.command).toContain(answering);
    const after = await world.pods('shop');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(0);
    await world.expectTold('shop', 'shop-1');
  });

  it.concurrent('is what a person deploys into a repair, and his it stays', async () => {
    const { ill } = await world.illAndWell('cart');
    // Nobody replaces it meanwhile: the repair has begun, and can't be verified.
    await world.cluster.faults.freeze({ pod: ill });
    await world.untilRepairing('cart-1');
    const script = `${answering} -v`;
    const { template } = workload('cart', { script }).spec;
    await world.client.patch(Deployment, reference('cart'), { spec: { template } });
    const status = await world.untilStage('cart-1', 'closed');
    expect(status.stages?.map(({ stage }) => stage)).toContain('yielded');
    await world.untilHealthy('cart');
    const { spec } = await world.client.get(Deployment, reference('cart'));
    expect(spec?.template.spec?.containers[0]?.command).toContain(script);
    expect(status.actions?.filter(({ outcome }) => outcome === 'done').length).toBeLessThanOrEqual(1);
    await world.expectTold('cart', 'cart-1');
  });
});

describe('a service', () => {
  it.concurrent('that is paused is watched and told of, and not touched', async () => {
    const before = await world.pods('paused');
    const { ill } = await world.illAndWell('paused');
    const fault = await world.cluster.faults.freeze({ pod: ill });
    expect(await world.untilStage('paused-1', 'confirmed')).toMatchObject({ cause: hung });
    await eventually(async () => expect((await world.status('paused')).decision).toContain('the service is paused'));
    await eventually(async () => expect(world.alertsOf('paused').map(({ stage }) => stage)).toContain('confirmed'));
    await fault.heal();
    expect((await world.untilStage('paused-1', 'closed')).actions).toEqual([]);
    const after = await world.pods('paused');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(0);
    await world.expectTold('paused', 'paused-1');
  });

  it.concurrent('that is run dry is told what would be done, and not touched', async () => {
    const before = await world.pods('dry');
    const { ill } = await world.illAndWell('dry');
    const fault = await world.cluster.faults.freeze({ pod: ill });
    const proposed = await world.untilStage('dry-1', 'proposed');
    expect(proposed.proposal).toMatchObject({ step: 'replace' });
    expect(proposed.summary).toContain(`would replace ${ill.metadata.name} now; this is a dry run`);
    await fault.heal();
    const status = await world.untilStage('dry-1', 'closed');
    expect(status).toMatchObject({ cause: hung, actions: [] });
    const after = await world.pods('dry');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(0);
    await world.expectTold('dry', 'dry-1');
  });

  it.concurrent('under load gets more instances and loses them again, and nobody is alarmed', async () => {
    const replicas = async () => (await world.client.get(Deployment, reference('busy'))).spec?.replicas;
    const before = await world.pods('busy');
    const loads = await Promise.all(before.map((pod) => world.cluster.faults.burnCpu({ pod, cores: 1 })));
    await eventually(async () => expect(await replicas()).toBe(4), 100_000);
    await world.untilHealthy('busy');
    await Promise.all(loads.map((load) => load.heal()));
    await eventually(async () => expect(await replicas()).toBe(3), 100_000);
    expect(await world.incidentsOf('busy')).toEqual([]);
    expect(world.alertsOf('busy')).toEqual([]);
    expect(restarts(await world.pods('busy'))).toBe(0);
  }, 240_000);
});

it('keeps no incident open, and asks for nothing beyond its roles', async () => {
  const { items } = await world.client.list(Kurator, { namespace: 'default' });
  expect(items.filter(({ status }) => status?.incident)).toEqual([]);
  const incidents = await world.client.list(Incident, { namespace: 'default' });
  expect(incidents.items.map(({ status }) => status?.stage)).toEqual(incidents.items.map(() => 'closed'));
  await world.expectWithinRoles();
});
