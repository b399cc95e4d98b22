// The operator against the real API server and registries that do what registries do; the test takes the part of the controllers of
// Deployments.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, conditionOf, Deployment, installCrds, Secret, waitFor } from '@kurator/sdk';
import { eventually, sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ImageUpdate, images } from '../src/index.ts';
import { FakeRegistry } from './support/fake-registry.ts';

const samples = join(import.meta.dirname, '..', 'samples');

let client: Client;
let namespace: string;
let stop: () => Promise<void>;
const registries: FakeRegistry[] = [];

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'images');
  await installCrds(client, images.resources);
  ({ stop } = await images.start({ client, namespaces: namespace, http: false, log: 'silent' }));
});
afterAll(async () => {
  await stop?.();
  await Promise.all(registries.map((registry) => registry.close()));
  await client?.close();
});

const semver = { semver: { range: '1.x' } };
let count = 0;

/** A workload at 1.0.0 of a registry of its own, and what is to update it. */
async function given(spec: Partial<ImageUpdate['spec']> = {}, { secret = false, tag = '1.0.0' } = {}) {
  const registry = new FakeRegistry();
  registries.push(registry);
  await registry.open();
  registry.push(tag);
  const which = { name: `web-${count++}`, namespace };
  const labels = { app: which.name };
  const container = { name: 'web', image: `${registry.host}/demo/web:${tag}` };
  const pulling = secret ? { imagePullSecrets: [{ name: `${which.name}-pull` }] } : {};
  await client.create(Deployment, {
    metadata: which,
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], ...pulling } },
    },
  });
  const make = async (more: Partial<ImageUpdate['spec']> = {}) =>
    await client.create(ImageUpdate, {
      metadata: which,
      spec: {
        target: { kind: 'Deployment', name: which.name },
        policy: semver,
        interval: '5s',
        judgement: { for: '1s', deadline: '1m' },
        ...spec,
        ...more,
      } as ImageUpdate['spec'],
    });
  const image = async () => (await client.get(Deployment, which)).spec?.template.spec?.containers[0]?.image;
  const until = async (phase: string, why = '') =>
    await waitFor(
      client,
      ImageUpdate,
      which,
      ({ status }) => status?.phase === phase && (status.why ?? '').includes(why),
      { description: `to be ${phase}: ${why}`, timeout: 40_000 },
    );
  /** As the controller of Deployments says it. */
  const rollOut = async (status: object) => {
    const { metadata } = await client.get(Deployment, which);
    await client.patch(Deployment, which, { status: { observedGeneration: metadata.generation, ...status } }, {
      subresource: 'status',
    } as never);
  };
  const well = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  return { registry, which, make, image, until, rollOut, well };
}

describe.concurrent('an ImageUpdate', () => {
  it('writes what is newer, pinned, by one list and one HEAD, and accepts it once it does well', async () => {
    const { registry, make, image, until, rollOut, well } = await given();
    const digest = registry.push('1.1.0');
    registry.push('2.0.0');
    await make();
    await until('Judging');
    expect(await image()).toBe(`${registry.host}/demo/web:1.1.0@${digest}`);
    expect(registry.asked).toEqual(['GET /v2/demo/web/tags/list?n=1000', 'HEAD /v2/demo/web/manifests/1.1.0']);
    await rollOut(well);
    const { status } = await until('UpToDate', 'nothing is newer');
    expect(status?.history).toMatchObject([
      { tag: '1.1.0', outcome: 'Accepted', why: '1 of 1 pods are new and ready' },
    ]);
  });

  it('goes back when the rollout does not get on, and stays there', async () => {
    const { registry, make, image, until, rollOut } = await given();
    const digest = registry.push('1.1.0');
    await make();
    await until('Judging');
    const overdue = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'it has timed out',
    };
    await rollOut({ replicas: 2, updatedReplicas: 1, conditions: [overdue] });
    const { status } = await until('UpToDate', 'quarantined');
    expect(await image()).toBe(`${registry.host}/demo/web:1.0.0`);
    expect(status?.quarantine).toMatchObject([{ digest, why: 'it has timed out' }]);
    expect(status?.why).toContain(`delivery.kurator.sh/lift=${digest}`);
  });

  it('follows a tag that moves, and asks no more than one HEAD for that', async () => {
    const { registry, make, image, until, rollOut, well } = await given(
      { policy: { digest: { tag: 'stable' } } },
      { tag: 'stable' },
    );
    await make();
    await until('Judging');
    await rollOut(well);
    await until('UpToDate');
    const digest = registry.push('stable', 'moved');
    await until('Judging');
    expect(await image()).toBe(`${registry.host}/demo/web:stable@${digest}`);
    expect(new Set(registry.asked)).toEqual(new Set(['HEAD /v2/demo/web/manifests/stable']));
  });

  it('does nothing where the list lacks what runs', async () => {
    const { registry, make, image, until } = await given();
    registry.tags.clear();
    registry.push('1.9.0');
    await make();
    await until('Unknown', 'the registry does not list 1.0.0, which runs');
    expect(await image()).toBe(`${registry.host}/demo/web:1.0.0`);
  });

  it('says who was refused, and is let in by the pull Secret of the pods', async () => {
    const { registry, which, make, until } = await given({}, { secret: true });
    const right = `Basic ${Buffer.from('demo:secret').toString('base64')}`;
    registry.trouble = (_, authorization) =>
      authorization === right ? undefined : { status: 401, headers: { 'www-authenticate': 'Basic realm="demo"' } };
    registry.push('1.1.0');
    await make();
    const { status } = await until('Unknown', 'asked without a log-in');
    expect(conditionOf(status?.conditions, 'RegistryAvailable')).toMatchObject({ status: 'False', reason: 'Denied' });
    const auths = { [registry.host]: { username: 'demo', password: 'secret' } };
    const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
    const type = 'kubernetes.io/dockerconfigjson';
    await client.create(Secret, { metadata: { name: `${which.name}-pull`, namespace }, type, data });
    await until('Judging');
    expect(JSON.stringify((await client.get(ImageUpdate, which)).status)).not.toContain('secret');
  });

  it('leaves a registry alone for as long as that asks for', async () => {
    const { registry, which, make, until } = await given();
    registry.trouble = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await make();
    const { status } = await until('Unknown', 'it is asked again at');
    expect(conditionOf(status?.conditions, 'RegistryAvailable')).toMatchObject({ reason: 'RateLimited' });
    const asked = registry.asked.length;
    // Whatever else makes it think: the spec, an annotation, another one of the same repository.
    const { metadata } = await client.patch(ImageUpdate, which, { spec: { interval: '6s' } });
    await waitFor(client, ImageUpdate, which, ({ status }) => status?.observedGeneration === metadata.generation);
    expect(registry.asked).toHaveLength(asked);
  });

  it('does nothing while the registry is down, and goes on when it is back', async () => {
    const { registry, make, image, until } = await given();
    const [, port] = registry.host.split(':');
    await registry.close();
    await make();
    const { status } = await until('Unknown');
    expect(conditionOf(status?.conditions, 'RegistryAvailable')).toMatchObject({
      status: 'False',
      reason: 'Unreachable',
    });
    expect(await image()).toContain(':1.0.0');
    const again = new FakeRegistry();
    registries.push(again);
    again.push('1.0.0');
    again.push('1.1.0');
    await again.open(Number(port));
    await until('Judging');
  });

  it('is not led on for ever by a list without an end', async () => {
    const { registry, make, until } = await given();
    let page = 0;
    registry.trouble = (path) =>
      path.includes('/tags/list')
        ? {
            headers: { link: `</v2/demo/web/tags/list?n=1000&last=${page++}>; rel="next"` },
            body: JSON.stringify({ tags: ['1.0.0'] }),
          }
        : undefined;
    await make();
    const { status } = await until('Unknown', 'round in circles');
    expect(conditionOf(status?.conditions, 'RegistryAvailable')).toMatchObject({ reason: 'BadContent' });
    expect(page).toBeLessThan(10);
  });

  it('asks once for all who use a repository, and writes nothing while nothing happens', async () => {
    const { registry, which, make, until } = await given();
    await make();
    await until('UpToDate');
    const second = { name: `${which.name}-again`, namespace };
    await client.create(ImageUpdate, {
      metadata: second,
      spec: { target: { kind: 'Deployment', name: which.name }, policy: semver, interval: '5s' } as ImageUpdate['spec'],
    });
    await waitFor(client, ImageUpdate, second, ({ status }) => status?.phase === 'UpToDate');
    const version = (await client.get(ImageUpdate, which)).metadata.resourceVersion;
    const begun = Date.now();
    await waitForLooks(registry, 3);
    const intervals = (Date.now() - begun) / 5000;
    expect(registry.asked.length).toBeLessThanOrEqual(2 + Math.ceil(intervals));
    expect((await client.get(ImageUpdate, which)).metadata.resourceVersion).toBe(version);
  });

  it('only tells with dryRun, waits for approval, and does nothing while suspended', async () => {
    const { registry, which, make, image, until } = await given({ dryRun: true });
    const digest = registry.push('1.1.0');
    await make();
    await until('DryRun', `1.1.0 (${digest}) would be rolled out`);
    await client.patch(ImageUpdate, which, { spec: { dryRun: false, gates: { approval: 'Manual' } } });
    await until('Waiting', `delivery.kurator.sh/approve=${digest}`);
    await client.patch(ImageUpdate, which, { spec: { suspend: true } });
    await until('Suspended');
    await client.patch(ImageUpdate, which, { metadata: { annotations: { 'delivery.kurator.sh/approve': digest } } });
    await client.patch(ImageUpdate, which, { spec: { suspend: false } });
    await until('Judging');
    expect(await image()).toContain(digest);
  });
});

async function waitForLooks(registry: FakeRegistry, looks: number): Promise<void> {
  await eventually(() => registry.asked.length >= looks, { timeout: 30_000, description: `${looks} looks` });
}

it.each(readdirSync(samples))('takes what people start from as it is written: samples/%s', async (file) => {
  const documents = parseAllDocuments(readFileSync(join(samples, file), 'utf8'));
  expect(documents.length).toBeGreaterThan(0);
  for (const document of documents) {
    const object = document.toJS() as ImageUpdate;
    const placed = { ...object, metadata: { ...object.metadata, namespace } };
    expect(await client.create(ImageUpdate, placed, { dryRun: true })).toMatchObject({ spec: object.spec });
  }
});

describe('bad input', () => {
  const target = { kind: 'Deployment', name: 'web' };
  // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose.
  const create = async (spec: any) =>
    await client.create(ImageUpdate, { metadata: { name: `bad-${count++}`, namespace }, spec });

  it.each([
    ['no target', { policy: semver }, 'spec.target', 'Required'],
    [
      'a kind that has no pods',
      { target: { kind: 'Service', name: 'web' }, policy: semver },
      'spec.target.kind',
      'CronJob',
    ],
    ['no policy', { target }, 'spec.policy', 'Required'],
    ['a policy of nothing', { target, policy: {} }, 'spec.policy', 'give one of semver, numerical'],
    ['two policies', { target, policy: { ...semver, numerical: {} } }, 'spec.policy', 'give one of semver'],
    [
      'a name for a tag',
      { target, policy: { digest: { tag: 'web:stable' } } },
      'spec.policy.digest.tag',
      'give a tag alone',
    ],
    ['an interval that no registry bears', { target, policy: semver, interval: '1s' }, 'spec.interval', 'at least 5s'],
    ['an interval that is no time', { target, policy: semver, interval: 'daily' }, 'spec.interval', 'match'],
    [
      'a deadline before its end',
      { target, policy: semver, judgement: { for: '5m', deadline: '1m' } },
      'spec.judgement',
      'a deadline that is longer',
    ],
    [
      'a window without a length',
      { target, policy: semver, gates: { windows: [{ schedule: '0 9 * * *' }] } },
      'spec.gates.windows[0].duration',
      'Required',
    ],
    [
      'a freeze that is no date',
      { target, policy: semver, gates: { freezes: [{ from: 'Christmas', to: 'Easter' }] } },
      'spec.gates.freezes[0].from',
      'Invalid',
    ],
    [
      'an approval that is none',
      { target, policy: semver, gates: { approval: 'Maybe' } },
      'spec.gates.approval',
      'Manual',
    ],
    ['a field that does not exist', { target, policy: semver, intervall: '5m' }, 'intervall', 'unknown field'],
  ])('with %s is refused at once', async (_, spec, field, remedy) => {
    const message = await create(spec).then(
      () => expect.unreachable('it was taken'),
      (error: Error) => error.message,
    );
    expect(message).toContain(field);
    expect(message).toContain(remedy);
  });

  it.each([
    ['a range that is none', { policy: { semver: { range: 'new' } } }, 'spec.policy.semver.range', '>=1.2 <2'],
    ['an expression that is none', { filter: { pattern: '(' } }, 'spec.filter.pattern', "RE2's syntax"],
    [
      'a group that is not there',
      { filter: { pattern: 'v(.*)', extract: '$version' } },
      'spec.filter.extract',
      '(?P<name>',
    ],
    ['a zone of nowhere', { gates: { timeZone: 'Mars' } }, 'spec.gates.timeZone', 'Europe/Berlin'],
    [
      'a window at no time',
      { gates: { windows: [{ schedule: '99 9 * * *', duration: '1h' }] } },
      'spec.gates.windows[0]',
      '0 9 * * 1-5',
    ],
  ])('with %s is told so in its condition', async (_, wrong, field, remedy) => {
    const { metadata } = await create({ target, policy: semver, ...wrong });
    const { status } = await waitFor(
      client,
      ImageUpdate,
      metadata,
      ({ status }) => conditionOf(status?.conditions, 'Ready')?.reason === 'InvalidSpec',
    );
    const { message } = conditionOf(status?.conditions, 'Ready') ?? {};
    expect(message).toContain(field);
    expect(message).toContain(remedy);
  });

  it('of a workload that is not there, or has several containers, is told so', async () => {
    const { metadata } = await create({ target: { kind: 'StatefulSet', name: 'nowhere' }, policy: semver });
    const { status } = await waitFor(client, ImageUpdate, metadata, ({ status }) => status?.phase === 'Unknown');
    expect(status?.why).toContain('spec.target: there is no StatefulSet nowhere');
  });

  it('can not be led to another workload', async () => {
    const { metadata } = await create({ target, policy: semver });
    const change = { spec: { target: { name: 'other' } } };
    await expect(client.patch(ImageUpdate, metadata, change)).rejects.toThrow(/spec.target.*can't be changed/);
  });
});
