/** Story 12: nothing at all. Hundreds of checks, and no repair, no page, no write, no object more, no memory more. */
import { AlertChannel, Incident, Kurator } from '@kurator/operator-kurator';
import { type Pod, Pod as PodType } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditedRequest, requestsOf } from '../support/healer/audit.ts';
import { HealerWorld } from '../support/healer/healer-world.ts';
import { metricsOf } from '../support/healer/operator-metrics.ts';
import { patiently } from '../support/kubectl.ts';

describe('story 12', () => {
  let world: HealerWorld;
  const services = ['web', 'shop', 'cart', 'mail'];
  /** Of each check: every two seconds, when all has been well for long. A whole day of them is simulated beside the brain. */
  const runs = 30;

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-12');
    const checks = [
      { http: {}, period: '1s', timeout: '1s' },
      { name: 'port', tcp: {}, period: '1s', timeout: '1s' },
    ];
    const [web, ...others] = services;
    await world.own('StatefulSet', web ?? '', { checks });
    for (const name of others) await world.adopt('Deployment', name, { checks, dependsOn: [web] });
    await Promise.all(services.map((name) => world.untilHealthy(name)));
    // What is learnt about a fresh service is written down once, and then no more.
    await Promise.all(services.map((name) => world.untilProven(name)));
    await world.remember();
  });

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  /** Every kind that there is more of if something goes wrong. */
  const kinds = [
    '/apis/kurator.sh/v1alpha1/kurators',
    '/apis/kurator.sh/v1alpha1/incidents',
    '/apis/kurator.sh/v1alpha1/alertchannels',
    '/apis/apps/v1/deployments',
    '/apis/apps/v1/replicasets',
    '/apis/apps/v1/statefulsets',
    '/apis/apps/v1/controllerrevisions',
    '/apis/discovery.k8s.io/v1/endpointslices',
    '/apis/policy/v1/poddisruptionbudgets',
    '/api/v1/pods',
    '/api/v1/services',
    '/api/v1/configmaps',
    '/api/v1/secrets',
  ] as const;

  /** How many objects are stored, by kind; of Events, those that the operator has made. */
  async function stored(): Promise<Record<string, number>> {
    const list = async (path: string) => await world.client.raw<{ items: object[] }>('GET', path);
    const counts = await Promise.all(kinds.map(async (path) => [path, (await list(path)).items.length] as const));
    const { items } = await list('/apis/events.k8s.io/v1/events');
    const ours = items.filter((event) => JSON.stringify(event).includes('"reportingController":"kurator'));
    return { ...Object.fromEntries(counts), events: ours.length };
  }

  const isWrite = ({ verb }: AuditedRequest) => !['get', 'list', 'watch'].includes(verb);
  const isOfLease = ({ requestURI }: AuditedRequest) => requestURI.includes('/leases/');

  async function versions(): Promise<string[]> {
    const lists = await Promise.all([
      world.client.list(Kurator, { namespace: 'default' }),
      world.client.list(AlertChannel, { namespace: 'default' }),
      world.client.list(PodType, { namespace: 'default' }),
    ]);
    return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`));
  }

  it('does nothing, tells nobody, writes nothing and grows by nothing', async () => {
    const [operator] = (await world.operatorPods()) as [Pod];
    const figures = async () => await metricsOf(world, operator);
    const checks = async () => (await figures()).get('kurator_check_results_total') ?? 0;
    const resident = async () => ((await figures()).get('process_resident_memory_bytes') ?? 0) / 2 ** 20;
    const [objects, before, requests] = await Promise.all([
      stored(),
      versions(),
      requestsOf(world.cluster, 'kurator', 'kurator'),
    ]);
    const begun = await checks();
    const memory = [await resident()];
    const each = services.length * 3 * 2;
    for (let round = 1; round <= 4; round++) {
      await eventually(async () => expect(await checks()).toBeGreaterThan(begun + (round * runs * each) / 4), {
        ...patiently,
        timeout: 200_000,
      });
      memory.push(await resident());
    }
    const after = await requestsOf(world.cluster, 'kurator', 'kurator');
    const written = after.slice(requests.length).filter((request) => isWrite(request) && !isOfLease(request));
    console.log({ checks: (await checks()) - begun, memory: memory.map(Math.round) });
    expect(written.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    expect(await versions()).toEqual(before);
    expect(await stored()).toEqual(objects);
    expect((await world.client.list(Incident, { namespace: 'default' })).items).toEqual([]);
    expect(world.sink.received).toEqual([]);
    // What a collector has not collected yet is not growth.
    expect(Math.max(...memory) - (memory[1] ?? 0)).toBeLessThan(48);
    await world.expectHeld();
  }, 300_000);
});
