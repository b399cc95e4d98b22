// Services that depend on each other: who is told, who waits, and what a circle is answered with.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { conditionOf, waitFor } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import type { StagedService } from './support/healing/stage-service.ts';
import { type WardRound, wardRound } from './support/healing/ward-round.ts';

let round: WardRound;
let database: StagedService;
let shop: StagedService;

beforeEach(async () => {
  round = await wardRound();
  database = await round.stage('database', 2);
  shop = await round.stage('shop', 2);
});
afterEach(async () => await round[Symbol.asyncDispose]());

/** A dependant's hook that answers as it is told, and remembers what it was asked. */
async function hook(status: number) {
  const asked: { phase: string; to: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(JSON.parse(body));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { asked, url: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => void server.close() };
}

it('tells dependants before and after a repair, and repairs only the cause', async () => {
  using asked = await hook(200);
  await round.adopt('database');
  await round.adopt('shop', {
    dependsOn: ['database'],
    coordination: { hook: { url: asked.url }, recoverWithin: '2s' },
  });
  await round.start();
  await round.untilHealth('database', 'Healthy');
  await round.untilHealth('shop', 'Healthy');
  const [ill] = database.pods;
  if (!ill) throw new Error('no pod');
  ill.status = 500;
  for (const pod of shop.pods) pod.status = 500;
  await eventually(async () => expect(await database.podNames()).not.toContain(ill.name), { timeout: '30s' });
  expect(asked.asked).toMatchObject([{ phase: 'before', to: `${round.namespace}/shop` }]);
  await eventually(async () => {
    const { status } = await round.kurator('shop');
    expect(status?.dependencyNotice).toContain('about to be repaired');
    expect(status?.dependencies).toEqual({ [`${round.namespace}/database`]: 'impaired' });
  });
  await database.addPod();
  for (const pod of shop.pods) pod.status = 200;
  const recorded = await round.untilStage('database-1', 'closed');
  expect(recorded.status?.told).toContainEqual(
    expect.objectContaining({ whom: `dependant ${round.namespace}/shop`, outcome: 'ready' }),
  );
  await eventually(() => expect(asked.asked.map(({ phase }) => phase)).toEqual(['before', 'after']));
  await eventually(async () => expect((await round.kurator('shop')).status?.ready).toBe('2/2'), { timeout: '20s' });
  expect(await shop.podNames()).toEqual(expect.arrayContaining(shop.pods.map(({ name }) => name)));
});

it('calls a person when a dependant refuses, and tries again when he gives it back', async () => {
  using asked = await hook(409);
  await round.adopt('database');
  await round.adopt('shop', { dependsOn: ['database'], coordination: { hook: { url: asked.url } } });
  await round.start();
  await round.untilHealth('database', 'Healthy');
  const [ill] = database.pods;
  if (!ill) throw new Error('no pod');
  ill.status = 500;
  const { status } = await round.untilStage('database-1', 'handedOver');
  expect(status?.summary).toContain('refused');
  expect(await database.podNames()).toContain(ill.name);
  await round.client.patch(Incident, { name: 'database-1', namespace: round.namespace }, { spec: { resume: 1 } });
  const reasons = async () => (await round.incident('database-1')).status?.stages?.map(({ reason }) => reason);
  await eventually(async () => expect(await reasons()).toContain('a person has given it back'), { timeout: '20s' });
});

it('refuses a circle by its names, and looks after each service all the same', async () => {
  await round.adopt('database', { dependsOn: ['shop'] });
  await round.adopt('shop', { dependsOn: ['database'] });
  await round.start();
  const reference = { name: 'shop', namespace: round.namespace };
  const { status } = await waitFor(
    round.client,
    Kurator,
    reference,
    (kurator) => conditionOf(kurator.status?.conditions, 'DependenciesResolved')?.status === 'False',
  );
  const { reason, message } = conditionOf(status?.conditions, 'DependenciesResolved') ?? {};
  expect(reason).toBe('DependencyCycle');
  expect(message).toContain(`${round.namespace}/shop → ${round.namespace}/database → ${round.namespace}/shop`);
  await round.untilHealth('shop', 'Healthy');
});

it('repairs a dependant without waiting for the next regular thought about what it depends on, which nobody checks', async () => {
  await round.adopt('database', { checks: [] });
  await round.adopt('shop', { dependsOn: ['database'], coordination: { recoverWithin: '1s' } });
  await round.start();
  await round.untilHealth('database', 'Healthy');
  await round.untilHealth('shop', 'Healthy');
  const [ill] = shop.pods;
  if (!ill) throw new Error('no pod');
  ill.status = 500;
  // Without trouble a service is thought about once in 48 to 60 s.
  await eventually(async () => expect(await shop.podNames()).not.toContain(ill.name), { timeout: '45s' });
  await shop.addPod();
  expect((await round.untilStage('shop-1', 'closed')).status).toMatchObject({ cause: 'wrong-answers' });
});
