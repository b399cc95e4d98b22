// The healer's kinds on the real API server: what is right is taken, with its defaults; what is wrong is refused, with
// the field's name and what would be right, and nothing is stored.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, installCrds, Secret } from '@kurator/sdk';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { KuratorSwitch } from '../src/resources/kurator-switch.ts';

let client: Client;
let namespace: string;

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'resources');
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
});
afterAll(async () => await client.close());

let count = 0;
const metadata = () => ({ name: `k${count++}`, namespace });
// biome-ignore lint/suspicious/noExplicitAny: most of them are wrong on purpose.
const create = async (spec: any) => await client.create(Kurator, { metadata: metadata(), spec });

const web = { image: 'web:1', port: 8080 };
const http = { http: { path: '/healthz' } };
const scaling = { max: 5, targets: [{ cpu: 70 }] };

describe('a Kurator', () => {
  it('is complete with an image, a port and one check', async () => {
    const { spec } = await create({ service: web, checks: [http] });
    expect(spec).toMatchObject({
      service: { kind: 'Deployment', image: 'web:1', port: 8080 },
      checks: [
        {
          name: 'health',
          through: 'instance',
          period: '10s',
          timeout: '2s',
          failAfter: 3,
          recoverAfter: 2,
          http: { path: '/healthz', method: 'GET', statuses: ['200-399'] },
        },
      ],
      pause: false,
      dryRun: false,
    });
  });

  it.each([
    ['adopts a Deployment', { targetRef: { kind: 'Deployment', name: 'web' }, checks: [{ tcp: { port: 80 } }] }],
    ['needs no check at all', { targetRef: { kind: 'StatefulSet', name: 'db' } }],
    ['scales', { service: web, checks: [http], scaling }],
    [
      'may say everything',
      {
        service: {
          kind: 'StatefulSet',
          image: 'db:1',
          ports: [{ name: 'sql', port: 5432 }],
          replicas: 3,
          volumes: [{ name: 'data', mountPath: '/data', claim: { storage: '1Gi' } }],
          config: { 'db.conf': 'fsync = on' },
          resources: { limits: { memory: '1Gi' } },
        },
        checks: [
          { name: 'sql', tcp: { port: 'sql' }, period: '2s', timeout: '1s' },
          { name: 'ready', exec: { command: ['pg_isready'] }, failAfter: 5 },
        ],
        dependsOn: ['storage', 'other/dns'],
        recovery: { steps: { rollback: { approval: true } }, minHealthy: '50%', budget: { repairs: 2 } },
        coordination: { hook: { url: 'http://db.example/hook' }, onSilence: 'handOver' },
        alerts: { channels: ['team'], burst: 2, per: '30m' },
        maintenance: [{ cron: '0 3 * * 0', duration: '2h', timeZone: 'Europe/Berlin' }],
      },
    ],
  ])('%s', async (_, spec) => {
    await expect(create(spec)).resolves.toMatchObject({ kind: 'Kurator' });
  });

  const check = (more: object) => ({ service: web, checks: [{ ...http, ...more }] });
  it.each([
    ['nothing to heal', { checks: [http] }, 'spec', 'exactly one of them'],
    [
      'two things to heal',
      { service: web, targetRef: { kind: 'Deployment', name: 'w' } },
      'spec',
      'exactly one of them',
    ],
    ['no image', { service: { port: 80 } }, 'spec.service.image', 'Required'],
    ['an empty image', { service: { ...web, image: '' } }, 'spec.service.image', 'at least 1'],
    ['a port out of range', { service: { ...web, port: 70000 } }, 'spec.service.port', '65535'],
    ['two ways to give ports', { service: { ...web, ports: [{ name: 'a', port: 1 }] } }, 'spec.service', 'not both'],
    ['negative replicas', { service: { ...web, replicas: -1 } }, 'spec.service.replicas', 'greater than or equal to 0'],
    ['an unknown kind', { service: { ...web, kind: 'DaemonSet' } }, 'spec.service.kind', 'StatefulSet'],
    [
      'a claim for a Deployment',
      { service: { ...web, volumes: [{ name: 'd', mountPath: '/d', claim: { storage: '1Gi' } }] } },
      'spec.service',
      'needs kind: StatefulSet',
    ],
    [
      'a volume of no kind',
      { service: { ...web, volumes: [{ name: 'd', mountPath: '/d' }] } },
      'spec.service.volumes[0]',
      'exactly one of configMap',
    ],
    [
      'a volume at a relative path',
      { service: { ...web, volumes: [{ name: 'd', mountPath: 'd', emptyDir: {} }] } },
      'spec.service.volumes[0].mountPath',
      'match',
    ],
    ['a check of no kind', { service: web, checks: [{ name: 'x' }] }, 'spec.checks[0]', 'exactly one of tcp'],
    ['a check of two kinds', check({ tcp: {} }), 'spec.checks[0]', 'exactly one of tcp'],
    ['two checks of one name', { service: web, checks: [http, http] }, 'spec.checks[1]', 'Duplicate'],
    ['a check with a bad name', check({ name: 'Web Check' }), 'spec.checks[0].name', 'match'],
    ['a period that is no duration', check({ period: 'often' }), 'spec.checks[0].period', 'match'],
    ['a period that is too short', check({ period: '10ms' }), 'spec.checks[0].period', 'at least 1s'],
    [
      'a timeout above the period',
      check({ period: '2s', timeout: '5s' }),
      'spec.checks[0]',
      'must not be above period',
    ],
    ['failAfter of nothing', check({ failAfter: 0 }), 'spec.checks[0].failAfter', 'greater than or equal to 1'],
    [
      'a path without a slash',
      { service: web, checks: [{ http: { path: 'x' } }] },
      'spec.checks[0].http.path',
      'match',
    ],
    [
      'a status that is none',
      { service: web, checks: [{ http: { statuses: ['OK'] } }] },
      'spec.checks[0].http.statuses[0]',
      'match',
    ],
    [
      'a command through the Service',
      { service: web, checks: [{ exec: { command: ['true'] }, through: 'service' }] },
      'spec.checks[0]',
      'runs in a pod',
    ],
    [
      'an empty command',
      { service: web, checks: [{ exec: { command: [] } }] },
      'spec.checks[0].exec.command',
      'at least 1',
    ],
    ['a check without a port', { service: { image: 'web:1' }, checks: [http] }, 'spec', 'give service.port'],
    ['a dependency that is no name', { service: web, dependsOn: ['A B'] }, 'spec.dependsOn[0]', 'match'],
    ['a dependency twice', { service: web, dependsOn: ['db', 'db'] }, 'spec.dependsOn[1]', 'Duplicate'],
    ['scaling and replicas', { service: { ...web, replicas: 2 }, scaling }, 'spec', 'leave out service.replicas'],
    [
      'more at least than at most',
      { service: web, scaling: { ...scaling, min: 9 } },
      'spec.scaling',
      'min must not be',
    ],
    ['nothing to scale by', { service: web, scaling: { max: 3, targets: [] } }, 'spec.scaling.targets', 'at least 1'],
    [
      'two metrics in one target',
      { service: web, scaling: { max: 3, targets: [{ cpu: 50, memory: 50 }] } },
      'spec.scaling.targets[0]',
      'exactly one of cpu',
    ],
    ['a target above 100 %', { service: web, scaling: { max: 3, targets: [{ cpu: 500 }] } }, 'targets[0].cpu', '100'],
    [
      'no tries',
      { service: web, recovery: { steps: { replace: { tries: 0 } } } },
      'spec.recovery.steps.replace.tries',
      '1',
    ],
    ['a share that is none', { service: web, recovery: { minHealthy: 'half' } }, 'spec.recovery.minHealthy', '%'],
    [
      'a hook that is no URL',
      { service: web, coordination: { hook: { url: 'db' } } },
      'coordination.hook.url',
      'match',
    ],
    [
      'a window without an end',
      { service: web, maintenance: [{ cron: '0 3 * * *' }] },
      'spec.maintenance[0].duration',
      'Required',
    ],
    ['a field that does not exist', { service: web, chekcs: [http] }, 'chekcs', 'unknown field'],
  ])('with %s is refused', async (_, spec, field, remedy) => {
    const name = `k${count}`;
    const error = await create(spec).then(
      () => expect.unreachable(),
      (refusal: Error) => refusal,
    );
    expect(error.message).toContain(field);
    expect(error.message).toContain(remedy);
    expect(await client.find(Kurator, { name, namespace })).toBeUndefined();
  });

  it('can not become another kind of workload', async () => {
    const { metadata: made } = await create({ service: web });
    const change = client.patch(Kurator, made, { spec: { service: { kind: 'StatefulSet' } } });
    await expect(change).rejects.toThrow('spec.service.kind');
  });
});

describe('an AlertChannel', () => {
  // biome-ignore lint/suspicious/noExplicitAny: some of them are wrong on purpose.
  const channel = async (spec: any) => await client.create(AlertChannel, { metadata: metadata(), spec });

  it('names a Secret, and never holds one', async () => {
    const { spec } = await channel({ slack: { urlFrom: { name: 'slack', key: 'url' } } });
    expect(spec).toMatchObject({ minSeverity: 'info', retryFor: '24h', timeout: '10s' });
    expect(Secret.kind).toBe('Secret');
  });

  it.each([
    ['nowhere to go', {}, 'exactly one of webhook'],
    ['two places to go', { stdout: {}, events: {} }, 'exactly one of webhook'],
    ['a webhook without an address', { webhook: {} }, 'give url, or urlFrom'],
    ['an address that is none', { webhook: { url: 'ftp://x' } }, 'spec.webhook.url'],
    ['mail to nobody', { smtp: { host: 'mail', from: 'a@b.c', to: [] } }, 'spec.smtp.to'],
  ])('with %s is refused', async (_, spec, remedy) => {
    await expect(channel(spec)).rejects.toThrow(remedy);
  });
});

describe('an Incident', () => {
  it('belongs to a service, and is found by it', async () => {
    const startedAt = new Date().toISOString();
    await client.create(Incident, { metadata: metadata(), spec: { service: 'shop', startedAt } });
    const { items } = await client.list(Incident, { namespace, fieldSelector: 'spec.service=shop' });
    expect(items).toHaveLength(1);
  });
});

describe('what people start from', () => {
  const folder = join(import.meta.dirname, '..', 'samples');

  it.each(readdirSync(folder))('is taken as it is written: samples/%s', async (file) => {
    const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'));
    const objects = documents.map((document) => document.toJS() as Kurator | AlertChannel);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      const type = await client.discover(object.apiVersion, object.kind);
      const placed = { ...object, metadata: { ...object.metadata, namespace } };
      expect(await client.create(type, placed as never, { dryRun: true })).toMatchObject({ spec: object.spec });
    }
  });
});
