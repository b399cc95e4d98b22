/**
 * Story 5: load, and no fault. All CPU is used and five times the requests come: more instances, no repair, nobody alarmed;
 * and fewer again when it is over.
 */
import { APIService, Deployment, Service } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HealerWorld, restarts } from '../support/healer/healer-world.ts';
import { measured } from '../support/healer/measured.ts';
import { patiently } from '../support/kubectl.ts';
import { startTraffic, type Traffic } from '../support/traffic.ts';

let world: HealerWorld;
let traffic: Traffic | undefined;
const busy = { name: 'busy', namespace: 'default' };
const metricsApi = { name: 'v1beta1.metrics.k8s.io' };
const usual = 10;

beforeAll(async () => {
  world = await HealerWorld.open('e2e-load');
  const resources = { requests: { cpu: '50m' }, limits: { cpu: '100m' } };
  const rate = { stabilisation: '1s', every: '1s', instances: 1 };
  const scaling = { min: 3, max: 5, targets: [{ cpu: 60 }], in: rate, out: rate };
  await world.adopt('Deployment', 'busy', { scaling }, { resources });
  await world.adopt('Deployment', 'bystander', {}, { replicas: 1 });
  const made = await world.client.create(Service, {
    metadata: busy,
    spec: { type: 'NodePort', selector: { app: 'busy' }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await Promise.all(['busy', 'bystander'].map((name) => world.untilHealthy(name)));
  await world.remember();
  const hosts = (await world.cluster.status()).nodes.map(({ address }) => address);
  const port = made.spec?.ports?.[0]?.nodePort ?? 0;
  traffic = startTraffic({ hosts, port, perSecond: usual });
});

afterAll(async () => {
  traffic?.stop();
  await world?.[Symbol.asyncDispose]();
});

const replicas = async () => (await world.client.get(Deployment, busy)).spec?.replicas ?? 0;

/** What was wanted, change by change: never fewer than before. */
function expectNeverFewer(): void {
  const wanted = world.witness.replicasOf('busy').map(({ value }) => value);
  expect(wanted).toEqual(wanted.toSorted((a, b) => a - b));
}

it('gets more instances, and never fewer, while all of its CPU is used and five times the requests come', async () => {
  const before = await world.pods('busy');
  const from = Date.now();
  traffic?.setRate(5 * usual);
  await Promise.all(before.map((pod) => world.cluster.faults.burnCpu({ pod, cores: 1 })));
  await eventually(async () => expect(await replicas()).toBeGreaterThan(3), { ...patiently, timeout: 200_000 });
  measured('scaling out was decided', from, world.witness.replicasOf('busy')[1]?.at);
  expectNeverFewer();
}, 150_000);

it('keeps them when nobody says any more what they use', async () => {
  const source = await world.client.get(APIService, metricsApi);
  await world.client.delete(APIService, metricsApi);
  try {
    await world.cluster.faults.healAll();
    await eventually(async () => expect((await world.status('busy')).scaling).toContain('cpu is not known'), {
      ...patiently,
      timeout: 200_000,
    });
    expectNeverFewer();
    expect(await replicas()).toBeGreaterThan(3);
  } finally {
    const { metadata, spec } = source;
    await world.client.create(APIService, { metadata: { name: metadata.name }, ...(spec && { spec }) });
  }
}, 150_000);

it('gives them back when the load is gone, and is seen to be gone', async () => {
  traffic?.setRate(usual);
  await eventually(async () => expect(await replicas()).toBe(3), { ...patiently, timeout: 200_000 });
  await world.untilHealthy('busy');
}, 250_000);

it('was no fault at any time: nothing was repaired, nobody was told, nobody was touched', async () => {
  traffic?.stop();
  expect(await world.incidentsOf('busy')).toEqual([]);
  expect(world.alertsOf('busy')).toEqual([]);
  expect(restarts(await world.pods('busy'))).toBe(0);
  await world.expectHeld();
});
