/** Online update of images: a good one comes without a lost request, a bad one goes back and never comes again, a person has the last word. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImageUpdate, images } from '@kurator/operator-images';
import { type Client, conditionOf, Deployment, installCrds, Service, waitFor } from '@kurator/sdk';
import {
  busyboxImage,
  type Cluster,
  type ClusterRegistry,
  createCluster,
  imageFromFolder,
  pushImage,
} from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';
import { startTraffic, type Traffic } from './support/traffic.ts';

let cluster: Cluster;
let client: Client;
let registry: ClusterRegistry;
let folder: string;
let traffic: Traffic | undefined;
const web = { name: 'web', namespace: 'default' };
const PORT = 8080;
const serving = `exec httpd -f -p ${PORT} -h /www`;

/** Pushes a web server whose page is its version, or one that gives up at once. */
async function push(version: string, script = serving): Promise<string> {
  const config = { name: `web:${version}`, command: ['sh', '-c', script] };
  const files = { '/www/index.html': `${version}\n` };
  const archive = await imageFromFolder(folder, config, { from: await busyboxImage(), files });
  return (await pushImage(archive, registry.url, `demo/web:${version}`)).digest;
}
const image = (version: string, digest: string) => `${registry.name}/demo/web:${version}@${digest}`;
const runningImage = async () => (await client.get(Deployment, web)).spec?.template.spec?.containers[0]?.image;
const until = (description: string, condition: (update: ImageUpdate) => boolean) =>
  waitFor(client, ImageUpdate, web, condition, { description, timeout: 120_000 });
const lost = () => traffic?.attempts.filter(({ well }) => !well).length;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-image-update-'));
  ({ cluster } = await createCluster({ name: 'e2e-image-update', nodes: 2 }));
  client = await cluster.client();
  registry = await cluster.registry();
  await push('1.0.0');
  await installCrds(client, images.resources);
  const container = {
    name: 'web',
    image: `${registry.name}/demo/web:1.0.0`,
    readinessProbe: { httpGet: { path: '/', port: PORT }, periodSeconds: 1 },
    // As for any rolling update without a lost request: it goes on answering until nobody is led to it any more.
    lifecycle: { preStop: { sleep: { seconds: 3 } } },
  };
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } as const;
  await client.create(Deployment, {
    metadata: web,
    spec: {
      replicas: 2,
      strategy,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { terminationGracePeriodSeconds: 5, containers: [container] },
      },
    },
  });
  const { spec } = await client.create(Service, {
    metadata: web,
    spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: PORT }] },
  });
  await runInCluster(cluster, client, {
    name: images.name,
    entry: 'operators/images/src/main.ts',
    permissions: await images.permissions(),
    hostNetwork: true,
    env: { KURATOR_IMAGES_REGISTRIES: JSON.stringify({ [registry.name]: { url: registry.url } }) },
  });
  await waitFor(client, Deployment, web, ({ status }) => status?.readyReplicas === 2, { timeout: 120_000 });
  const hosts = (await cluster.status()).nodes.map(({ address }) => address);
  traffic = startTraffic({ hosts, port: spec?.ports?.[0]?.nodePort ?? 0, perSecond: 20, timeout: 10_000 });
});

afterAll(async () => {
  traffic?.stop();
  await client?.close();
  await cluster?.down();
  await rm(folder, { recursive: true, force: true });
});

const manifest = {
  apiVersion: 'delivery.kurator.sh/v1alpha1',
  kind: 'ImageUpdate',
  metadata: { name: 'web' },
  spec: {
    target: { kind: 'Deployment', name: 'web' },
    policy: { semver: { range: '1.x' } },
    interval: '5s',
    judgement: { for: '3s', deadline: '1m' },
  },
};

describe('an ImageUpdate', () => {
  it('changes nothing while nothing is new', async () => {
    await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(manifest));
    const { status } = await until('to have looked', ({ status }) => status?.phase === 'UpToDate');
    expect(status).toMatchObject({ running: { tag: '1.0.0' }, why: 'nothing is newer than 1.0.0' });
    expect(conditionOf(status?.conditions, 'RegistryAvailable')).toMatchObject({ status: 'True' });
    expect(await runningImage()).toBe(`${registry.name}/demo/web:1.0.0`);
  });

  let good: string;
  it('rolls a new image out, pinned by its digest, and no request is lost', async () => {
    good = image('1.1.0', await push('1.1.0'));
    const { status } = await until('to be accepted', ({ status }) => status?.history?.[0]?.outcome === 'Accepted');
    expect(status?.history?.[0]).toMatchObject({ tag: '1.1.0', to: good });
    expect(await runningImage()).toBe(good);
    expect(traffic?.attempts.length).toBeGreaterThan(50);
    expect(lost()).toBe(0);
  });

  it('takes a bad one back by itself, never brings it again, and no request is lost', async () => {
    const digest = await push('1.2.0', 'echo no such table; exit 1');
    const { status } = await until('to be rolled back', ({ status }) => status?.history?.[0]?.outcome === 'RolledBack');
    expect(status?.quarantine).toMatchObject([{ tag: '1.2.0', digest, why: expect.stringContaining('web') }]);
    expect(await runningImage()).toBe(good);
    const { metadata } = await until(
      'to be at rest',
      ({ status }) => status?.why?.includes('is newer, and quarantined') === true,
    );
    const events = await kubectl(cluster, ['events', '--for', 'imageupdate/web']);
    for (const reason of ['UpdateStarted', 'Updated', 'Quarantined', 'RolledBack']) expect(events).toContain(reason);
    expect((await client.get(ImageUpdate, web)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(lost()).toBe(0);
  });

  it('goes on to what is newer and good', async () => {
    good = image('1.2.1', await push('1.2.1'));
    await until('to be accepted', ({ status }) => status?.history?.[0]?.tag === '1.2.1' && !status.update);
    expect(await runningImage()).toBe(good);
    expect(lost()).toBe(0);
  });

  it('leaves the last word to whoever goes back by hand', async () => {
    await kubectl(cluster, ['rollout', 'undo', 'deployment/web']);
    const { status } = await until('to be held', ({ status }) => status?.phase === 'Held');
    expect(status?.why).toContain('delivery.kurator.sh/resume');
    expect(status?.quarantine?.map(({ tag }) => tag)).toEqual(['1.2.0', '1.2.1']);
    expect(await runningImage()).toContain(':1.1.0@sha256:');
    const [head, line] = (await kubectl(cluster, ['get', 'imageupdates'])).trim().split('\n');
    expect(head?.split(/\s+/)).toEqual(expect.arrayContaining(['NAME', 'TARGET', 'RUNNING', 'PHASE', 'AGE']));
    expect(line).toMatch(/web\s+web\s+1\.1\.0\s.*Held/);
  });
});
