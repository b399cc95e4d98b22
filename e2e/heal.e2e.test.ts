/** The healer as its users first meet it: one service that they have, and one that they describe to it. */
import { conditionOf, Deployment } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, uids } from './support/healer/healer-world.ts';
import { kubectl } from './support/kubectl.ts';

let world: HealerWorld;

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal');
  await world.adopt('Deployment', 'web');
  await world.own('Deployment', 'shop');
  await Promise.all([world.untilHealthy('web'), world.untilProven('shop')]);
});

afterAll(async () => await world?.[Symbol.asyncDispose]());

describe('a Deployment that was adopted', () => {
  it('is shown as healthy, and has the one instance replaced that hangs, and no other', async () => {
    expect(await kubectl(world.cluster, ['get', 'kurator', 'web'])).toMatch(/Healthy +3\/3/);
    const [ill, ...well] = await world.pods('web');
    if (!ill) throw new Error('no pods');
    await world.cluster.faults.freeze({ pod: ill });
    const status = await world.untilStage('web-1', 'closed');
    expect(status).toMatchObject({
      cause: 'hang',
      actions: [{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }],
    });
    await world.untilHealthy('web');
    const after = uids(await world.pods('web'));
    expect(after).not.toContain(ill.metadata.uid);
    expect(after).toEqual(expect.arrayContaining(uids(well)));
    expect(await world.evictionsOf(ill)).toHaveLength(1);
    await world.expectTold('web', 'web-1');
  });
});

describe('a Deployment of its own', () => {
  const shop = { name: 'shop', namespace: 'default' };

  it('goes back to what was well when a new revision crashes, and stays there', async () => {
    const good = await world.client.get(Deployment, shop);
    await world.own('Deployment', 'shop', {}, { script: 'echo broken; exit 1' });
    const status = await world.untilStage('shop-1', 'closed');
    expect(status).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] });
    expect(status.evidence?.instances?.[0]?.logs).toContain('broken');
    const held = await world.untilHealthy('shop');
    expect(conditionOf(held.status?.conditions, 'Applied')).toMatchObject({ reason: 'HeldBack' });
    const { spec } = await world.client.get(Deployment, shop);
    expect(spec?.template).toEqual(good.spec?.template);
    await world.expectTold('shop', 'shop-1');
  });
});

it('asks for nothing beyond its roles', async () => {
  await world.expectWithinRoles();
});
