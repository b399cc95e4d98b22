/** What a person changes is held back or left alone, as he would want it; and whoever wants nothing to be changed is heard. */
import { Incident, Kurator } from '@kurator/operator-kurator';
import { conditionOf, Deployment, Node } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung, restarts, uids } from './support/healer/healer-world.ts';
import { answering, workload } from './support/healer/services.ts';
import { patiently } from './support/kubectl.ts';

let world: HealerWorld;

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-changes');
  await world.own('Deployment', 'stock');
  await world.adopt('Deployment', 'cart', { recovery: { yieldFor: '5s' } });
  await world.own('Deployment', 'paused', { pause: true });
  await world.adopt('StatefulSet', 'dry', { dryRun: true });
  const patient = { recovery: { steps: { kubernetes: { deadline: '1s', tries: 1 } } } };
  await world.adopt('Deployment', 'big', patient, { resources: { requests: { cpu: await mostOfANode() } } });
  await Promise.all([...['cart', 'dry', 'big'].map((name) => world.untilHealthy(name)), world.untilProven('stock')]);
  await eventually(async () => expect((await world.status('paused')).healthyInstances).toBe(3), patiently);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** So much that a node has room for one such pod, beside the small ones. */
async function mostOfANode(): Promise<string> {
  const { items } = await world.client.list(Node);
  const cores = items.map(({ status }) => Number(status?.allocatable?.cpu));
  return `${Math.round(600 * Math.min(...cores))}m`;
}

const reference = (name: string) => ({ name, namespace: 'default' });

describe('a new revision', () => {
  it.concurrent('that crashes, of an owned Deployment, goes back to what was well, and is held back', async () => {
    const good = await world.client.get(Deployment, reference('stock'));
    await world.own('Deployment', 'stock', {}, { script: 'echo no such table; exit 1' });
    const status = await world.untilStage('stock-1', 'closed');
    expect(status).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] });
    expect(status.evidence?.instances?.[0]?.logs).toContain('no such table');
    const held = await world.untilHealthy('stock');
    expect(conditionOf(held.status?.conditions, 'Applied')).toMatchObject({ reason: 'HeldBack' });
    const { spec } = await world.client.get(Deployment, reference('stock'));
    expect(spec?.template).toEqual(good.spec?.template);
    await world.expectTold('stock', 'stock-1');
  });

  it.concurrent('that a person deploys into a repair stays his', async () => {
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
    await eventually(
      async () => expect((await world.status('paused')).decision).toContain('the service is paused'),
      patiently,
    );
    await eventually(
      async () => expect(world.alertsOf('paused').map(({ stage }) => stage)).toContain('confirmed'),
      patiently,
    );
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

  it.concurrent('that no node has room for is told of with the reason of the scheduler, and well once there is room', async () => {
    const before = await world.pods('big');
    await world.client.patch(Deployment, reference('big'), { spec: { replicas: 4 } });
    const status = await world.untilStage('big-1', 'handedOver');
    expect(status).toMatchObject({ cause: 'unschedulable', actions: [] });
    expect(status.stages?.map(({ reason }) => reason).join('\n')).toContain('Insufficient cpu');
    await eventually(
      async () => expect(world.alertsOf('big').map(({ severity }) => severity)).toContain('page'),
      patiently,
    );
    await world.client.patch(Deployment, reference('big'), { spec: { replicas: 3 } });
    expect((await world.untilStage('big-1', 'closed')).actions).toEqual([]);
    const after = await world.pods('big');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(0);
    await world.expectTold('big', 'big-1');
  });
});

it('keeps no incident open, and asks for nothing beyond its roles', async () => {
  const { items } = await world.client.list(Kurator, { namespace: 'default' });
  expect(items.filter(({ status }) => status?.incident)).toEqual([]);
  const incidents = await world.client.list(Incident, { namespace: 'default' });
  expect(incidents.items.map(({ status }) => status?.stage)).toEqual(incidents.items.map(() => 'closed'));
  await world.expectWithinRoles();
});
