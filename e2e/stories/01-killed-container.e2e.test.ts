/** Story 1: SIGKILL of one container of three. Noticed by the event, recorded once, and left to the kubelet. */
import { Deployment, ReplicaSet, StatefulSet } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, restarts, uids } from '../support/healer/healer-world.ts';
import { measured } from '../support/healer/measured.ts';
import type { WorkloadKind } from '../support/healer/services.ts';
import { kubectl } from '../support/kubectl.ts';

let world: HealerWorld;

beforeAll(async () => {
  world = await HealerWorld.open('e2e-killed');
  // Checks that come this seldom would need half a minute to be sure, and the kubelet is quicker: only an event can tell.
  const checks = [{ http: {}, period: '10s', timeout: '2s', failAfter: 3, recoverAfter: 1 }];
  await world.adopt('Deployment', 'web', { checks });
  await world.own('StatefulSet', 'ledger', { checks });
  await world.adopt('Deployment', 'bystander', {}, { replicas: 1 });
  await Promise.all(['web', 'ledger', 'bystander'].map((name) => world.untilHealthy(name, 240_000)));
  await world.remember();
});

afterAll(async () => await world?.[Symbol.asyncDispose]());

async function generationOf(kind: WorkloadKind, name: string): Promise<number | undefined> {
  const reference = { name, namespace: 'default' };
  const { metadata } =
    kind === 'Deployment'
      ? await world.client.get(Deployment, reference)
      : await world.client.get(StatefulSet, reference);
  return metadata.generation;
}

describe('one container of three is killed', () => {
  it.concurrent.each([
    ['Deployment', 'web'],
    ['StatefulSet', 'ledger'],
  ] as const)(
    'in a %s: it is noticed by the event, and nothing is done, because the kubelet does it',
    async (kind, name) => {
      const before = await world.pods(name);
      const generation = await generationOf(kind, name);
      const [ill] = before;
      if (!ill) throw new Error('no pods');
      const killedAt = Date.now();
      await world.cluster.faults.kill({ pod: ill });
      const status = await world.untilStage(`${name}-1`, 'closed');
      measured(`${name}: noticed`, killedAt, status.stages?.[0]?.at);
      measured(`${name}: well`, killedAt, status.recoveredAt);
      expect(status).toMatchObject({
        cause: 'crash',
        actions: [],
        evidence: { instances: [{ name: ill.metadata.name }] },
      });
      expect(status.evidence?.instances?.[0]?.containers?.join()).toContain('137');
      const after = await world.pods(name);
      expect(uids(after)).toEqual(uids(before));
      expect(restarts(after)).toBe(1);
      expect(await generationOf(kind, name)).toBe(generation);
      await world.expectTold(name, `${name}-1`);
      expect(await world.incidentsOf(name)).toEqual([`${name}-1`]);
    },
  );
});

it('ends with everything as it was, but for two containers that were started again', async () => {
  const [web] = await world.pods('web');
  const [ledger] = await world.pods('ledger');
  if (!web || !ledger) throw new Error('no pods');
  await world.expectHeld({ touched: [web, ledger] });
  const { items } = await world.client.list(ReplicaSet, { namespace: 'default', labelSelector: 'app=web' });
  expect(items).toHaveLength(1);
  expect(await kubectl(world.cluster, ['get', 'kurator', 'web'])).toMatch(/Healthy +3\/3 +web-1/);
});
