/** Story 2: a new revision that crashes. It is rolled back once and not returned to; if that does not help either, a person is called. */
import { conditionOf, Deployment, type Pod, StatefulSet } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpSink } from '../../operators/kurator/test/support/alerting/http-sink.ts';
import { HealerWorld, restarts, uids } from '../support/healer/healer-world.ts';
import { measured } from '../support/healer/measured.ts';
import { answering, workload } from '../support/healer/services.ts';
import { patiently } from '../support/kubectl.ts';

let world: HealerWorld;
/** What `till` can't be started without. */
let outside: HttpSink;
const broken = 'echo no such table; exit 1';
const reference = (name: string) => ({ name, namespace: 'default' });

beforeAll(async () => {
  world = await HealerWorld.open('e2e-bad-revision');
  outside = await HttpSink.open(world.host);
  await world.adopt('Deployment', 'shop', {}, { isProbed: true });
  await world.own('StatefulSet', 'ledger');
  const script = `wget -q -O /dev/null ${outside.url}/ || exit 1; ${answering}`;
  await world.adopt('Deployment', 'till', {}, { script, strategy: 'Recreate', replicas: 2 });
  await world.adopt('Deployment', 'bystander', {}, { replicas: 1 });
  const all = ['shop', 'ledger', 'till', 'bystander'];
  await Promise.all(all.flatMap((name) => [world.untilHealthy(name), world.untilProven(name)]));
  await world.remember();
});

afterAll(async () => {
  await outside?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

/** As a person deploys; gives the time. */
async function deploy(name: string, script: string, isProbed = false): Promise<number> {
  const { template } = workload(name, { script, isProbed }).spec;
  await world.client.patch(Deployment, reference(name), { spec: { template } });
  return Date.now();
}

describe('a new revision that crashes', () => {
  it.concurrent('of an adopted Deployment is rolled back once, and no instance that was well is touched', async () => {
    const before = await world.pods('shop');
    const deployedAt = await deploy('shop', broken, true);
    const status = await world.untilStage('shop-1', 'closed');
    measured('shop: confirmed', deployedAt, status.confirmedAt);
    measured('shop: well', deployedAt, status.recoveredAt);
    expect(status).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] });
    await world.untilHealthy('shop');
    const { spec } = await world.client.get(Deployment, reference('shop'));
    expect(spec?.template.spec?.containers[0]?.command).toContain(answering);
    const after = await world.pods('shop');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(0);
    // Once: neither is it rolled back again, nor is that revision ever returned to.
    expect(await world.changesOf('deployments', 'shop')).toHaveLength(1);
    await world.expectTold('shop', 'shop-1');
  });

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
    expect(uids(await world.pods('ledger'))).toEqual(expect.arrayContaining(uids(before.slice(0, -1))));
    await world.expectTold('ledger', 'ledger-1');
  });

  it.concurrent('and the one before it does too by now: after at most three tries a person is called', async () => {
    outside.otherwise = 503;
    await deploy('till', broken);
    const status = await world.untilStage('till-1', 'handedOver', 200_000);
    // Each try has a number, and its waves too; to wait for Kubernetes is none that does anything.
    const tries = new Set(status.actions?.map(({ id }) => id.split('.')[0]));
    expect(tries.size, JSON.stringify(status.actions)).toBeLessThanOrEqual(3);
    expect(status.actions?.filter(({ step }) => step === 'rollback')).toHaveLength(1);
    await eventually(async () => {
      const pages = world.alertsOf('till').filter(({ severity }) => severity === 'page');
      expect(pages.map(({ stage }) => stage)).toContain('handedOver');
    }, patiently);
    // The person finds out, and deploys what needs nobody.
    const actions = status.actions?.length;
    await deploy('till', answering);
    const closed = await world.untilStage('till-1', 'closed');
    expect(closed.actions).toHaveLength(actions ?? 0);
    const { spec } = await world.client.get(Deployment, reference('till'));
    expect(spec?.template.spec?.containers[0]?.command).toContain(answering);
    await world.expectTold('till', 'till-1');
  }, 300_000);
});

it('ends with all well, and nobody touched who was', async () => {
  const last = world.remembered('ledger').at(-1) as Pod;
  await world.expectHeld({ touched: [last], changed: ['till'] });
});
