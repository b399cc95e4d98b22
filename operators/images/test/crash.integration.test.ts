// The operator, killed before, during and after each of its writes: a bad image is rolled back once, a good one stays, and all that is
// told of it is the same.
import { Deployment, waitFor } from '@kurator/sdk';
import { type CrashScenario, type CrashWorld, everyCrash } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ImageUpdate } from '../src/index.ts';
import { FakeRegistry } from './support/fake-registry.ts';

const registry = new FakeRegistry();
beforeAll(async () => {
  await registry.open();
  for (const tag of ['1.0.0', '1.1.0', '1.2.0']) registry.push(tag);
});
afterAll(async () => await registry.close());

const imageOf = ({ spec }: Deployment) => spec?.template.spec?.containers[0]?.image ?? '';
const overdue = {
  type: 'Progressing',
  status: 'False',
  reason: 'ProgressDeadlineExceeded',
  message: 'it has timed out',
};

/** As the controller of Deployments says it. */
async function say({ client }: CrashWorld, { metadata }: Deployment, status: object): Promise<void> {
  const seen = { observedGeneration: metadata.generation, ...status };
  await client.patch(Deployment, metadata, { status: seen }, { subresource: 'status' });
}

/** There are a bad image and a good one: the newer is bad. */
const scenario: CrashScenario = {
  async run(world) {
    const { client, namespace, signal } = world;
    const web = { name: 'web', namespace };
    const patience = { timeout: 120_000, signal };
    const labels = { app: 'web' };
    const containers = [{ name: 'web', image: `${registry.host}/demo/web:1.0.0` }];
    await client.create(Deployment, {
      metadata: web,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
    const judgement = { for: '1s', deadline: '1m' };
    await client.create(ImageUpdate, {
      metadata: web,
      spec: {
        target: { kind: 'Deployment', name: 'web' },
        policy: { semver: { range: '*' } },
        judgement,
      } as ImageUpdate['spec'],
    });
    const has = (tag: string) =>
      waitFor(client, Deployment, web, (deployment) => imageOf(deployment).includes(`:${tag}@`), patience);
    await say(world, await has('1.2.0'), { replicas: 1, updatedReplicas: 0, conditions: [overdue] });
    const well = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, conditions: null };
    await say(world, await has('1.1.0'), well);
    await waitFor(
      client,
      ImageUpdate,
      web,
      ({ status }) => status?.history?.[0]?.outcome === 'Accepted' && status.phase === 'UpToDate',
      patience,
    );
  },
  async always({ client, namespace }) {
    const web = { name: 'web', namespace };
    const update = await client.find(ImageUpdate, web);
    const deployment = await client.find(Deployment, web);
    if (!update || !deployment) return;
    const { quarantine = [], update: underWay } = update.status ?? {};
    if (quarantine.length > 0 && underWay?.stage !== 'RollingBack')
      expect(imageOf(deployment)).not.toContain(':1.2.0@');
  },
};

it('survives a crash at every write', { timeout: 600_000 }, async () => {
  const report = await everyCrash(import.meta.resolve('../src/main.ts'), scenario, { share: 0.3 });
  expect(report.writes.filter((write) => write.startsWith('patch deployments')).length).toBe(3);
});
