/** Story 6: a database is down, and twenty services need it. It is repaired, they are told, and nothing is done to them. */
import { Incident } from '@kurator/operator-kurator';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HealerWorld } from '../support/healer/healer-world.ts';
import { measured } from '../support/healer/measured.ts';
import { needing } from '../support/healer/services.ts';
import { patiently } from '../support/kubectl.ts';

let world: HealerWorld;
const dependants = Array.from({ length: 20 }, (_, i) => `app-${i + 1}`);

beforeAll(async () => {
  world = await HealerWorld.open('e2e-database-down');
  await world.own('StatefulSet', 'database', {}, { replicas: 2 });
  await world.untilHealthy('database');
  const checks = [{ http: {}, period: '2s', timeout: '2s' }];
  const needs = { checks, dependsOn: ['database'], coordination: { recoverWithin: '60s' } };
  const shape = {
    script: needing('http://$DATABASE_SERVICE_HOST:8080/'),
    replicas: 1,
    resources: { requests: { cpu: '10m' } },
  };
  const [owned = '', stateful = '', ...others] = dependants;
  await world.own('Deployment', owned, needs, shape);
  await world.adopt('StatefulSet', stateful, needs, shape);
  for (const name of others) await world.adopt('Deployment', name, needs, shape);
  // So many take their time to come up on a busy machine.
  await Promise.all(dependants.map((name) => world.untilHealthy(name, 240_000)));
  await world.remember();
}, 600_000);

afterAll(async () => await world?.[Symbol.asyncDispose]());

it('has one root, which is repaired first and alone, and one page; the dependants hear of it before and after', async () => {
  const dead = await world.pods('database');
  const from = Date.now();
  await Promise.all(dead.map((pod) => world.cluster.faults.freeze({ pod })));
  await eventually(
    async () => {
      for (const name of dependants)
        expect((await world.status(name)).dependencyNotice).toContain('about to be repaired');
    },
    { ...patiently, timeout: 200_000 },
  );
  const status = await world.untilStage('database-1', 'closed');
  measured('the database: well', from, status.recoveredAt);
  await Promise.all(['database', ...dependants].map((name) => world.untilHealthy(name)));
  measured('all of its dependants: well', Date.parse(status.recoveredAt ?? ''), Date.now());
  const evicted = status.actions?.flatMap(({ targets = [] }) => targets);
  expect(evicted?.toSorted()).toEqual(dead.map(({ metadata }) => metadata.name));
  for (const name of dependants) {
    const told = status.told?.filter(({ whom }) => whom === `dependant default/${name}`).map(({ what }) => what);
    expect(told, name).toEqual([
      expect.stringMatching(/^of the fault/),
      expect.stringMatching(/^before the repair/),
      expect.stringMatching(/^at the end/),
    ]);
  }
  await world.expectTold('database', 'database-1');
}, 600_000);

it('is the root of whatever else was confirmed, and nobody was called for that', async () => {
  const { items } = await world.client.list(Incident, { namespace: 'default' });
  for (const { metadata, spec } of items.filter((incident) => incident.spec.service !== 'database')) {
    const { actions, confirmedAt, cause, root } = await world.untilStage(metadata.name, 'closed');
    expect(actions, metadata.name).toEqual([]);
    // What was only suspected came to nothing.
    if (confirmedAt) expect({ cause, root }, spec.service).toEqual({ cause: 'dependency', root: 'default/database#1' });
  }
  const pages = ['database', ...dependants]
    .flatMap((name) => world.alertsOf(name))
    .filter(({ severity }) => severity === 'page');
  expect(pages.map(({ service }) => service)).toEqual(['database']);
});

it('ends with all well, and nobody touched but the database', async () => {
  await world.expectHeld({ touched: world.remembered('database') });
});
