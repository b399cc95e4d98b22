// Services that depend on each other: who is told, who waits, and what a circle is answered with.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { conditionOf, Event, waitFor } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import type { StagedService } from './support/healing/stage-service.ts';

let round: HealerWorld;
let database: StagedService;
let shop: StagedService;

beforeEach(async () => {
  round = await healerWorld();
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
  const to = `${round.namespace}/shop`;
  expect(asked.asked).toMatchObject([
    { phase: 'confirmed', to },
    { phase: 'before', to },
  ]);
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
  await eventually(() => expect(asked.asked.map(({ phase }) => phase)).toEqual(['confirmed', 'before', 'after']));
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
  await eventually(async () => expect(await reasons()).toContain('on-call has given it back'), { timeout: '20s' });
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

it.each([
  ['is only to say what it would do', { dryRun: true }, 'proposed'],
  ['is paused', { pause: true }, 'confirmed'],
])('tells dependants of a fault that is confirmed, though the service %s', async (_, spec, stage) => {
  using asked = await hook(200);
  await round.adopt('database', spec);
  await round.adopt('shop', { dependsOn: ['database'], coordination: { hook: { url: asked.url } } });
  await round.start();
  await eventually(async () => expect((await round.kurator('database')).status?.ready).toBe('2/2'), { timeout: '20s' });
  await round.untilHealth('shop', 'Healthy');
  for (const pod of database.pods.slice(0, 1)) pod.status = 500;
  await round.untilStage('database-1', stage);
  await eventually(() => expect(asked.asked.map(({ phase }) => phase)).toEqual(['confirmed']));
  await eventually(async () => {
    expect((await round.kurator('shop')).status?.dependencyNotice).toContain(`${round.namespace}/database fails: `);
  });
});

describe('a stranger in another namespace', () => {
  const stranger = 'stranger';
  let elsewhere: HealerWorld;
  beforeEach(async () => {
    elsewhere = await healerWorld();
    await elsewhere.stage(stranger, 1);
  });
  afterEach(async () => await elsewhere[Symbol.asyncDispose]());

  const isUnheard = async () => {
    const { status } = await elsewhere.kurator(stranger);
    return conditionOf(status?.conditions, 'DependenciesResolved');
  };
  /** One healer for both namespaces, as one for a whole cluster. */
  const start = () => round.start(undefined, {}, [round.namespace, elsewhere.namespace]);

  it('has no say in a repair, hears nothing, and is told why', async () => {
    using veto = await hook(409);
    using friend = await hook(200);
    await round.adopt('database');
    await round.adopt('shop', { dependsOn: ['database'], coordination: { hook: { url: friend.url } } });
    const dependsOn = [`${round.namespace}/database`];
    await elsewhere.adopt(stranger, { dependsOn, coordination: { hook: { url: veto.url } } });
    await start();
    await round.untilHealth('database', 'Healthy');
    await elsewhere.untilHealth(stranger, 'Healthy');
    const [ill] = database.pods;
    if (!ill) throw new Error('no pod');
    ill.status = 500;
    await eventually(async () => expect(await database.podNames()).not.toContain(ill.name), { timeout: '30s' });
    await database.addPod();
    const { status } = await round.untilStage('database-1', 'closed');
    expect(new Set(status?.told?.map(({ whom }) => whom))).toEqual(
      new Set(['channel events', `dependant ${round.namespace}/shop`]),
    );
    expect(friend.asked.map(({ phase }) => phase)).toEqual(['confirmed', 'before', 'after']);
    expect(veto.asked).toEqual([]);
    expect(await isUnheard()).toMatchObject({ status: 'False', reason: 'DependencyNotPermitted' });
    expect((await isUnheard())?.message).toContain(`add namespace ${elsewhere.namespace} to spec.dependants.from`);
    const { dependencyNotice, dependencies } = (await elsewhere.kurator(stranger)).status ?? {};
    expect({ dependencyNotice, dependencies }).toEqual({});
    const { items } = await elsewhere.client.list(Event, { namespace: elsewhere.namespace });
    expect(items.filter(({ reason }) => reason === 'DependencyNotPermitted')).toHaveLength(1);
  });

  it('is heard once the service has named its namespace', async () => {
    using asked = await hook(409);
    await round.adopt('database');
    const dependsOn = [`${round.namespace}/database`];
    await elsewhere.adopt(stranger, { dependsOn, coordination: { hook: { url: asked.url } } });
    await start();
    await round.untilHealth('database', 'Healthy');
    await eventually(async () => expect((await isUnheard())?.reason).toBe('DependencyNotPermitted'));
    const dependants = { from: [{ namespace: elsewhere.namespace }] };
    await round.client.patch(Kurator, { name: 'database', namespace: round.namespace }, { spec: { dependants } });
    await eventually(async () => expect((await isUnheard())?.status).toBe('True'), { timeout: '20s' });
    for (const pod of database.pods.slice(0, 1)) pod.status = 500;
    const { status } = await round.untilStage('database-1', 'handedOver');
    expect(status?.summary).toContain(`${elsewhere.namespace}/${stranger} refused the repair`);
  });
});
