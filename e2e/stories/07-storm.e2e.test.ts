/** Story 7: twelve of twenty services fail together: a storm, in which little is done at once, and all of it in the end. */
import type { Incident } from '@kurator/operator-kurator';
import type { Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung } from '../support/healer/healer-world.ts';
import { metricsOf } from '../support/healer/operator-metrics.ts';
import { patiently } from '../support/kubectl.ts';

describe('story 7', () => {
  type Status = NonNullable<Incident['status']>;

  let world: HealerWorld;
  const services = Array.from({ length: 20 }, (_, index) => `s${index + 1}`);
  const failing = services.slice(0, 12);
  /** As in quick-storm.ts. */
  const coolDown = 3000;
  /** So many make a storm, for they are 30 % of all by then. */
  const enough = 6;
  const period = 2000;
  const checks = [{ http: {}, period: '2s', timeout: '2s', failAfter: 3 }];

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-7', 1, { entry: 'e2e/support/healer/quick-storm.ts' });
    const shape = { replicas: 2, resources: { requests: { cpu: '10m' } } };
    await Promise.all(services.map((name) => world.adopt('Deployment', name, { checks }, shape)));
    await Promise.all(services.map((name) => world.untilHealthy(name)));
    await world.remember();
  });

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  it('repairs two at a time at most, with rest between them, and leaves everybody who is well alone', async () => {
    const ill = await Promise.all(failing.map(async (name) => (await world.illAndWell(name)).ill));
    const [operator] = await world.operatorPods();
    await Promise.all(ill.map((pod) => world.cluster.faults.freeze({ pod })));
    await eventually(async () => expect((await metricsOf(world, operator as Pod)).get('kurator_storm')).toBe(1), {
      ...patiently,
      timeout: 100_000,
    });
    const stormSeenBy = Date.now();
    const incidents = await Promise.all(failing.map((name) => world.untilStage(`${name}-1`, 'closed')));
    for (const [index, status] of incidents.entries()) {
      const targets = [ill[index]?.metadata.name];
      expect(status).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets, outcome: 'done' }] });
    }
    const detected = incidents.map(({ confirmedAt = '' }) => Date.parse(confirmedAt)).toSorted((a, b) => a - b);
    const stormAt = (detected[enough - 1] ?? 0) + period;
    const repairs = incidents.map(repairOf).toSorted((a, b) => a.from - b.from);
    // What was begun before that many had failed could not know.
    const inStorm = repairs.filter(({ from }) => from > stormAt);
    expect(inStorm.length).toBeGreaterThanOrEqual(failing.length - 5 - 1);
    for (const [index, { from }] of inStorm.slice(1).entries()) {
      expect(from - (inStorm[index]?.from ?? 0)).toBeGreaterThanOrEqual(coolDown);
    }
    for (const { from } of inStorm) {
      const atOnce = repairs.filter((other) => other.from <= from && from < other.to);
      expect(atOnce.length, JSON.stringify(repairs)).toBeLessThanOrEqual(2);
    }
    console.log('seconds:', {
      'from the first to the last detection': ((detected.at(-1) ?? 0) - (detected[0] ?? 0)) / 1000,
      'until the storm was on the metrics, at most': (stormSeenBy - (detected[enough - 1] ?? 0)) / 1000,
      'from the first repair to the last recovery':
        (Math.max(...repairs.map(({ to }) => to)) - (repairs[0]?.from ?? 0)) / 1000,
      'repairs begun in the storm': inStorm.length,
    });
    for (const pod of ill) expect(await world.evictionsOf(pod)).toHaveLength(1);
    // One of two is ill and the other is not touched: nobody ever has fewer who are well than at the detection.
    await world.expectHeld({ touched: ill });
  }, 300_000);

  /** From the action to the verdict on it. */
  function repairOf({ actions = [], stages = [] }: Status): { from: number; to: number } {
    const verdict = stages.find(({ stage }) => stage === 'recovered');
    return { from: Date.parse(actions[0]?.at ?? ''), to: Date.parse(verdict?.at ?? '') };
  }
});
