// What becomes of incidents whose targets go: on the real API server, with the budget of a whole cluster.
import { conditionOf, Deployment, Event, Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterDefaults } from '../src/brain/spec-defaults.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import type { StagedPod, StagedService } from './support/healing/stage-service.ts';

/** Five at once, and no storm, which would only make it fewer. */
const cluster = { ...clusterDefaults, concurrent: 5, storm: { ...clusterDefaults.storm, services: 1000 } };
const soon = { timeout: '30s' } as const;

let round: HealerWorld;
beforeEach(async () => {
  round = await healerWorld();
});
afterEach(async () => await round[Symbol.asyncDispose]());

const firstOf = ({ pods }: StagedService) => pods[0] as StagedPod;
const remove = async ({ name, podNames }: StagedService) => {
  await round.client.delete(Deployment, { name, namespace: round.namespace });
  for (const pod of await podNames()) await round.client.delete(Pod, { name: pod, namespace: round.namespace });
};

/** Has one of its pods fail and be replaced, and nothing come in its place: its repair goes on and on. */
async function inRepair(name: string, settings: Record<string, unknown> = {}): Promise<StagedService> {
  const service = await round.stage(name, 2);
  await round.adopt(name, settings);
  return service;
}

it('repairs a fresh fault though five targets were deleted in the middle of their repairs', async () => {
  const doomed: StagedService[] = [];
  for (const name of ['one', 'two', 'three', 'four', 'five']) doomed.push(await inRepair(name));
  const other = await inRepair('other');
  await round.start(undefined, { cluster });
  for (const { name } of [...doomed, other]) await round.untilHealth(name, 'Healthy');
  for (const service of doomed) firstOf(service).status = 500;
  for (const { name } of doomed) await round.untilStage(`${name}-1`, 'verifying');
  for (const service of doomed) await remove(service);
  firstOf(other).status = 500;
  await eventually(async () => expect(await other.podNames()).not.toContain(firstOf(other).name), soon);
  for (const { name } of doomed) {
    const { status } = await round.untilStage(`${name}-1`, 'closed');
    expect(status?.stages?.at(-1)).toMatchObject({ stage: 'withdrawn' });
    expect(status?.summary).toBe(`there is no Deployment ${name} in namespace ${round.namespace}`);
    const { health, incident } = (await round.kurator(name)).status ?? {};
    expect({ health, incident }).toEqual({ health: 'Unknown', incident: undefined });
  }
});

it('tells once that nobody looks after it any more', async () => {
  const web = await inRepair('web');
  await round.start();
  await round.untilHealth('web', 'Healthy');
  firstOf(web).status = 500;
  await round.untilStage('web-1', 'verifying');
  await remove(web);
  await round.untilStage('web-1', 'closed');
  await eventually(async () => {
    const { items } = await round.client.list(Event, { namespace: round.namespace });
    const told = items.filter(({ reason }) => reason === 'Withdrawn');
    expect(told.map(({ message }) => message)).toEqual([expect.stringContaining('is not looked after any more')]);
  }, soon);
});

it('begins anew when its Kurator is told to look after another workload', async () => {
  const web = await inRepair('web');
  const next = await round.stage('next', 1);
  await round.start();
  await round.untilHealth('web', 'Healthy');
  firstOf(web).status = 500;
  await round.untilStage('web-1', 'verifying');
  const targetRef = { kind: 'Deployment', name: 'next' };
  await round.client.patch(Kurator, { name: 'web', namespace: round.namespace }, { spec: { targetRef } } as never);
  const { status } = await round.untilStage('web-1', 'closed');
  expect(status?.summary).toBe('it is about Deployment next now');
  await round.untilHealth('web', 'Healthy');
  firstOf(next).status = 500;
  await eventually(async () => expect(await next.podNames()).not.toContain(firstOf(next).name), soon);
});

it('calls a person when its spec can not be followed any more, and goes on when it can', async () => {
  const web = await inRepair('web');
  await round.start();
  await round.untilHealth('web', 'Healthy');
  firstOf(web).status = 500;
  await round.untilStage('web-1', 'verifying');
  const reference = { name: 'web', namespace: round.namespace };
  const maintenance = [{ cron: '61 * * * *', duration: '1h' }];
  await round.client.patch(Kurator, reference, { spec: { maintenance } } as never);
  const { status } = await round.untilStage('web-1', 'handedOver');
  expect(status?.summary).toContain('nobody can look after it: spec.maintenance[0].cron');
  expect(conditionOf((await round.kurator('web')).status?.conditions, 'Ready')?.reason).toBe('InvalidSpec');
  await web.addPod();
  await round.client.patch(Kurator, reference, { spec: { maintenance: [] } } as never);
  await round.untilStage('web-1', 'closed');
});
