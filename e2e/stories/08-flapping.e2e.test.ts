/**
 * Story 8: a service that flaps every N + 1 periods, whatever is done about it: a few repairs, then hands off. Ninety seconds of it
 * here; KURATOR_FLAP_MINUTES=10 makes it as long as you like. An hour of it is simulated beside the brain.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld } from '../support/healer/healer-world.ts';
import { needing } from '../support/healer/services.ts';
import { patiently } from '../support/kubectl.ts';

describe('a service that flaps', () => {
  let world: HealerWorld;
  /** What every instance asks how it does. */
  let mood = 200;
  const oracle = createServer((_request, response) => response.writeHead(mood).end('hello'));
  const minutes = Number(process.env.KURATOR_FLAP_MINUTES ?? 1.5);
  /** P, N: every fourth period it is the other way round. An instance needs up to two seconds to hear of it. */
  const period = 2000;
  const failAfter = 3;

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-8');
    await new Promise<void>((resolve) => oracle.listen(0, world.host, resolve));
    const { port } = oracle.address() as AddressInfo;
    const asks = needing(`http://${world.host}:${port}/`);
    const checks = [{ http: {}, period: '2s', timeout: '1s', failAfter, recoverAfter: 1 }];
    const alerts = { groupWait: '2s', burst: 4, per: '1h' };
    const recovery = { stability: '60s', coolDown: '1s' };
    await world.adopt('Deployment', 'flaps', { checks, alerts, recovery, startupGrace: '10s' }, { script: asks });
    await world.adopt('Deployment', 'other', { checks: [{ http: {}, period: '1s', timeout: '1s' }] });
    await Promise.all(['flaps', 'other'].map((name) => world.untilHealthy(name)));
    await world.remember();
  });

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    oracle.closeAllConnections();
    oracle.close();
  });

  it('has a few repairs at most, is quarantined, and nobody hears of it more than five times', async () => {
    const turns = Math.round((minutes * 60_000) / ((failAfter + 1) * period));
    let turned = 0;
    const flapping = setInterval(
      () => {
        mood = mood === 200 ? 503 : 200;
        turned++;
      },
      (failAfter + 1) * period,
    );
    try {
      await eventually(async () => expect(turned).toBeGreaterThanOrEqual(turns), {
        ...patiently,
        timeout: minutes * 60_000 + 100_000,
      });
      const status = await world.untilStage('flaps-1', 'quarantined');
      // A repair of several waves has one number: `default/flaps#1/2.3` is the third wave of the second.
      const repairs = new Set(status.actions?.map(({ id }) => id.split('/').at(-1)?.split('.')[0]));
      console.log({ turned, repairs: repairs.size, stages: status.stages?.map(({ stage }) => stage).join(' → ') });
      expect(repairs.size).toBeLessThanOrEqual(3);
      expect(await world.incidentsOf('flaps')).toEqual(['flaps-1']);
      const alerts = world.alertsOf('flaps');
      expect(alerts.length).toBeLessThanOrEqual(5);
      expect(alerts.map(({ severity }) => severity)).toContain('page');
      expect(world.alertsOf('other')).toEqual([]);
    } finally {
      clearInterval(flapping);
      mood = 200;
    }
    // It stays in quarantine until it has been well for long.
    await world.expectHeld({ changed: ['flaps'], ill: ['flaps'] });
  }, 1_200_000);
});
