/** What is wrong is around the services, and not in them: lost packets, and what a service depends on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, restarts, uids } from './support/healer/healer-world.ts';
import { eventually } from './support/kubectl.ts';

let world: HealerWorld;
const dependants = ['shop', 'cart', 'mail'] as const;

/** Connections are what loss is seen in: the more of them, the sooner. One that waits for a lost packet is no failure. */
const connections = Array.from({ length: 16 }, (_, i) => ({
  name: `tcp-${i}`,
  tcp: {},
  period: '2s',
  timeout: '2s',
  failAfter: 10,
}));

/** Well only as long as its database answers, as many services are. */
const needsDatabase = [
  'mkdir -p /www/cgi-bin && cd /www/cgi-bin',
  `echo '#!/bin/sh' >health`,
  `echo 'printf "GET / HTTP/1.0\\r\\n\\r\\n" | timeout 1 nc $DATABASE_SERVICE_HOST 8080 | grep -q hello || status=503' >>health`,
  `echo 'printf "Status: \${status:-200}\\r\\n\\r\\nhello"' >>health`,
  'chmod +x health && exec httpd -f -p 8080 -h /www',
].join(' && ');

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-network');
  await world.adopt('Deployment', 'one', { checks: connections });
  await world.adopt('StatefulSet', 'everyone', { checks: connections });
  await world.own('StatefulSet', 'database');
  await world.untilHealthy('database');
  const checks = [{ http: { path: '/cgi-bin/health' }, period: '2s', timeout: '2s' }];
  const needs = { checks, dependsOn: ['database'], coordination: { recoverWithin: '30s' } };
  await world.own('Deployment', 'shop', needs, { script: needsDatabase });
  await world.adopt('Deployment', 'cart', needs, { script: needsDatabase });
  await world.adopt('StatefulSet', 'mail', needs, { script: needsDatabase });
  await Promise.all(['one', 'everyone', ...dependants].map((name) => world.untilHealthy(name)));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe('30 % of the packets are lost', () => {
  it.concurrent('on the way to one instance: that one is replaced, once', async () => {
    const { ill, well } = await world.illAndWell('one');
    await world.cluster.faults.drop({ percent: 30, to: ill });
    const status = await world.untilStage('one-1', 'closed');
    expect(status).toMatchObject({
      cause: 'packet-loss',
      actions: [{ step: 'replace', targets: [ill.metadata.name] }],
    });
    const after = await world.pods('one');
    expect(uids(after)).not.toContain(ill.metadata.uid);
    expect(uids(after)).toEqual(expect.arrayContaining(uids(well)));
    await world.expectTold('one', 'one-1');
  });

  it.concurrent('on the way to all: nothing is restarted, and people hear that it is the network', async () => {
    const before = await world.pods('everyone');
    const fault = await world.cluster.faults.drop({ percent: 30, to: before });
    await world.untilStage('everyone-1', 'handedOver');
    await eventually(async () => {
      const page = world.alertsOf('everyone').find(({ stage }) => stage === 'handedOver');
      expect(page).toMatchObject({ severity: 'page', title: expect.stringContaining('the network') });
    });
    await fault.heal();
    const status = await world.untilStage('everyone-1', 'closed');
    expect(status).toMatchObject({ cause: 'network', actions: [] });
    const after = await world.pods('everyone');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(0);
  });
});

describe('a database that is down, with three dependants', () => {
  it('is the only one that is repaired; the dependants hear of it before and after', async () => {
    const dead = await world.pods('database');
    const before = await Promise.all(dependants.map((name) => world.pods(name)));
    await Promise.all(dead.map((pod) => world.cluster.faults.freeze({ pod })));
    await eventually(async () => {
      for (const name of dependants)
        expect((await world.status(name)).dependencyNotice).toContain('about to be repaired');
    }, 60_000);
    const status = await world.untilStage('database-1', 'closed');
    await Promise.all(['database', ...dependants].map((name) => world.untilHealthy(name)));
    expect(status.actions?.flatMap(({ targets = [] }) => targets).toSorted()).toEqual(
      dead.map(({ metadata }) => metadata.name),
    );
    for (const name of dependants) {
      const told = status.told?.filter(({ whom }) => whom === `dependant default/${name}`).map(({ what }) => what);
      expect(told).toEqual([expect.stringMatching(/^before the repair/), expect.stringMatching(/^after the repair/)]);
      for (const incident of await world.incidentsOf(name)) {
        expect(await world.untilStage(incident, 'closed')).toMatchObject({
          cause: 'dependency',
          root: 'default/database#1',
          actions: [],
        });
      }
    }
    const after = await Promise.all(dependants.map((name) => world.pods(name)));
    expect(after.map(uids)).toEqual(before.map(uids));
    expect(after.map(restarts)).toEqual([0, 0, 0]);
    await world.expectTold('database', 'database-1');
    const pages = dependants.flatMap((name) => world.alertsOf(name)).filter(({ severity }) => severity === 'page');
    expect(pages).toEqual([]);
  });
});

it('asks for nothing beyond its roles', async () => {
  await world.expectWithinRoles();
});
