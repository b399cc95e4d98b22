// Elastic scaling by a number that the instances expose, on the real API server.
import { Deployment, Event, waitFor } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Kurator } from '../src/resources/kurator.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import type { StagedService } from './support/healing/stage-service.ts';

let round: HealerWorld;
let web: StagedService;
const self = () => ({ name: 'web', namespace: round.namespace });

beforeEach(async () => {
  round = await healerWorld();
  web = await round.stage('web', 1);
});
afterEach(async () => await round[Symbol.asyncDispose]());

const scaling = () => ({
  min: 1,
  max: 4,
  targets: [{ metric: { name: 'jobs', port: web.pods[0]?.port, value: 10 } }],
});

it('follows the load up to its maximum, and no person is taken for it', async () => {
  await round.adopt('web', { scaling: scaling() });
  web.body = '# HELP jobs waiting\njobs{queue="a"} 20\njobs{queue="b"} 15\n';
  await round.start();
  const { metadata } = await waitFor(round.client, Deployment, self(), ({ spec }) => spec?.replicas === 4, {
    timeout: 30_000,
  });
  expect(metadata.annotations?.['kurator.sh/action']).toMatch(/^scale\//);
  const told = await eventually(async () => {
    const { items } = await round.client.list(Event, { namespace: round.namespace });
    const found = items.find(({ reason }) => reason === 'ScaledOut');
    return found ?? expect.fail('nobody was told');
  });
  expect(told.message).toContain('4 pods: jobs is 35 on average');
  // By then it has been thought about anew, with the replicas that are set.
  const { status } = await waitFor(round.client, Kurator, self(), (kurator) =>
    /^holds: jobs is 35 on average/.test(kurator.status?.scaling ?? ''),
  );
  expect(status?.memory).toMatchObject({ workload: { replicas: 4 } });
  expect(status?.memory).not.toHaveProperty('workload.foreignWrite');
});

it('takes pods away again once the load is gone, down to its minimum', async () => {
  const quick = { stabilisation: '1s', every: '1s', instances: 4, percent: 100 };
  await round.adopt('web', { scaling: { ...scaling(), in: quick } });
  web.body = 'jobs 35\n';
  await round.start();
  const replicas = (count: number) =>
    eventually(
      async () => {
        // Makes the pods, as its controller would.
        await web.follow();
        expect((await round.client.get(Deployment, self())).spec?.replicas).toBe(count);
      },
      { timeout: '40s' },
    );
  await replicas(4);
  web.body = 'jobs 1\n';
  await replicas(1);
  await eventually(async () => {
    const { items } = await round.client.list(Event, { namespace: round.namespace });
    expect(items.map(({ reason }) => reason)).toContain('ScaledIn');
  });
});

it('holds while the number is not there', async () => {
  await round.adopt('web', { scaling: scaling() });
  web.body = 'something_else 100\n';
  await round.start();
  const { status } = await waitFor(round.client, Kurator, self(), (kurator) => kurator.status?.scaling !== undefined);
  expect(status?.scaling).toBe('holds: jobs is not known: it holds');
  expect((await round.client.get(Deployment, self())).spec?.replicas).toBe(1);
});
