/** What becomes of a repair when something happens to the healer itself: it ends as it would have, and nothing is done twice. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Incident } from '@kurator/operator-kurator';
import type { Pod } from '@kurator/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HealerWorld, hung, uids } from './support/healer/healer-world.ts';
import { answering } from './support/healer/services.ts';
import { eventually } from './support/kubectl.ts';

let world: HealerWorld;
/** A dependant that says nothing until it is let. */
const asked: string[] = [];
let isWilling = false;
const dependant = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  asked.push((JSON.parse(body) as { phase: string }).phase);
  if (isWilling) response.writeHead(200).end();
});

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-healer', 2);
  await new Promise<void>((resolve) => dependant.listen(0, world.host, resolve));
  const hook = { url: `http://${world.host}:${(dependant.address() as AddressInfo).port}/`, timeout: '2s' };
  const steps = { replace: { approval: true } };
  // An instance that takes its time to come up leaves time to verify.
  await world.adopt('Deployment', 'database', { recovery: { steps } }, { script: `sleep 5; ${answering}` });
  await world.own('StatefulSet', 'shop');
  await world.adopt('StatefulSet', 'cart', { dependsOn: ['database'], coordination: { hook } });
  await Promise.all(['database', 'shop', 'cart'].map((name) => world.untilHealthy(name)));
});

afterAll(async () => {
  dependant.closeAllConnections();
  dependant.close();
  await world?.[Symbol.asyncDispose]();
});

/** Kills whoever leads, and waits until the other one does. */
async function killLeader(): Promise<void> {
  const leader = await world.leader();
  await world.cluster.faults.kill({ pod: leader });
  await untilLedByOther(leader);
}

async function untilLedByOther(than: Pod): Promise<void> {
  await eventually(async () => expect((await world.leader()).metadata.uid).not.toBe(than.metadata.uid));
}

it('killed at every stage of a repair, it comes to the same end and does nothing twice', async () => {
  const { ill, well } = await world.illAndWell('database');
  await world.cluster.faults.freeze({ pod: ill });
  await world.untilStage('database-1', 'suspected');
  await killLeader();
  const { proposal } = await world.untilStage('database-1', 'proposed');
  await killLeader();
  const reference = { name: 'database-1', namespace: 'default' };
  await world.client.patch(Incident, reference, { spec: { approve: proposal?.id ?? '' } });
  await world.untilStage('database-1', 'tellingDependants');
  await eventually(async () => expect(asked).toContain('before'));
  await killLeader();
  isWilling = true;
  await world.untilStage('database-1', 'verifying');
  await killLeader();
  const status = await world.untilStage('database-1', 'closed');
  await world.untilHealthy('database');
  expect(status).toMatchObject({
    cause: hung,
    actions: [{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }],
  });
  const stages = status.stages?.map(({ stage }) => stage);
  expect(stages).toEqual([
    'suspected',
    'confirmed',
    'proposed',
    'tellingDependants',
    'repairing',
    'verifying',
    'recovered',
  ]);
  const after = uids(await world.pods('database'));
  expect(after).not.toContain(ill.metadata.uid);
  expect(after).toEqual(expect.arrayContaining(uids(well)));
  expect(await world.evictionsOf(ill)).toHaveLength(1);
  await eventually(async () => expect(asked).toContain('after'));
  expect(await world.incidentsOf('database')).toEqual(['database-1']);
}, 240_000);

it('cut off from the API server, it does nothing; the other replica does it, once', async () => {
  const { ill, well } = await world.illAndWell('shop');
  const leader = await world.leader();
  const cut = await world.cluster.faults.drop({ percent: 100, from: leader, to: { node: 'cp' }, bothWays: true });
  await world.cluster.faults.freeze({ pod: ill });
  await untilLedByOther(leader);
  const status = await world.untilStage('shop-1', 'closed');
  await cut.heal();
  // Whoever was cut off has heard what happened, and knows that it does not lead.
  await eventually(async () => {
    const pods = await world.operatorPods();
    expect(pods.map((pod) => pod.status?.containerStatuses?.[0]?.ready)).toEqual([true, true]);
  }, 90_000);
  await world.untilHealthy('shop');
  expect(status).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets: [ill.metadata.name] }] });
  const evictions = await world.evictionsOf(ill);
  expect(evictions).toHaveLength(1);
  expect(evictions[0]?.sourceIPs).not.toContain(leader.status?.podIP);
  expect(uids(await world.pods('shop'))).toEqual(expect.arrayContaining(uids(well)));
  expect(await world.incidentsOf('shop')).toEqual(['shop-1']);
  await world.expectTold('shop', 'shop-1');
}, 240_000);

it('asks for nothing beyond its roles', async () => {
  await world.expectWithinRoles();
});
