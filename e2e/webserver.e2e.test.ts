/** The stateless web server, with real visitors: pages that change, and a cluster full of people who edit and delete. */
import { WebServer, webserver } from '@kurator/operator-webserver';
import { type Client, ConfigMap, conditionOf, Deployment, installCrds, Pod, Service, waitFor } from '@kurator/sdk';
import { BUSYBOX_IMAGE, busyboxImage, type Cluster, createCluster, eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPod, kubectl, patiently } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';
import { startPod } from './support/pods.ts';

let cluster: Cluster;
let client: Client;
const site = { name: 'staticweb', namespace: 'default' };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-webserver', nodes: 2 }));
  client = await cluster.client();
  await cluster.load((await busyboxImage()).path);
  await installCrds(client, [WebServer]);
  const entry = 'operators/webserver/src/main.ts';
  await runInCluster(cluster, client, { name: webserver.name, entry, permissions: await webserver.permissions() });
  await startPod(client, { name: 'visitor', node: 'n1' });
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

const manifest = (replicas: number, pages: Record<string, string>) =>
  JSON.stringify({
    apiVersion: 'example.com/v1alpha1',
    kind: 'WebServer',
    metadata: { name: site.name },
    spec: { replicas, image: BUSYBOX_IMAGE, pages },
  });
const apply = (replicas: number, pages: Record<string, string>) =>
  kubectl(cluster, ['apply', '-f', '-'], manifest(replicas, pages));
const visit = (page = '') => inPod(cluster, 'visitor', 'timeout', '2', 'wget', '-qO-', `http://${site.name}/${page}`);
const untilReady = (readyReplicas: number) =>
  waitFor(
    client,
    WebServer,
    site,
    ({ status, metadata }) =>
      status?.readyReplicas === readyReplicas &&
      status.observedGeneration === metadata.generation &&
      conditionOf(status.conditions, 'Ready')?.status === 'True',
    { description: `to be Ready with ${readyReplicas}` },
  );
const podNames = async () => {
  const { items } = await client.list(Pod, { namespace: 'default', labelSelector: 'example.com/webserver' });
  return items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
};

describe('a web server', () => {
  it('shows its pages under its name', async () => {
    await apply(1, { 'index.html': 'hello' });
    await untilReady(1);
    await eventually(async () => expect(await visit()).toBe('hello'), patiently);
  });

  it('has three servers when three are declared, and a new one for each that is deleted', async () => {
    await apply(3, { 'index.html': 'hello' });
    await untilReady(3);
    const [first = ''] = await podNames();
    await client.delete(Pod, { name: first, namespace: 'default' }, { gracePeriodSeconds: 0 });
    await eventually(async () => {
      const names = await podNames();
      expect(names).toHaveLength(3);
      expect(names).not.toContain(first);
    }, patiently);
    await untilReady(3);
  });

  it('replaces its servers when a page changes, and all of them show it', async () => {
    const before = await podNames();
    await apply(3, { 'index.html': 'bye', 'about.html': 'us' });
    await untilReady(3);
    const after = await podNames();
    expect(after).toHaveLength(3);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    for (let i = 0; i < 10; i++) expect([await visit(), await visit('about.html')]).toEqual(['bye', 'us']);
  });

  it('puts back whatever is deleted by hand', async () => {
    for (const type of [ConfigMap, Service, Deployment]) {
      const { metadata } = await client.get(type, site);
      await kubectl(cluster, ['delete', type.kind.toLowerCase(), site.name]);
      await waitFor(client, type, site, (made) => made.metadata.uid !== metadata.uid);
    }
    await untilReady(3);
    await eventually(async () => expect(await visit()).toBe('bye'), patiently);
  });

  it('undoes whatever is edited by hand', async () => {
    const edit = (kind: string, patch: object) =>
      kubectl(cluster, ['patch', kind, site.name, '--type=merge', '-p', JSON.stringify(patch)]);
    await edit('configmap', { data: { 'index.html': 'defaced', 'more.html': 'graffiti' } });
    await edit('service', { spec: { selector: { 'example.com/webserver': 'nobody' } } });
    await kubectl(cluster, ['scale', 'deployment', site.name, '--replicas=0']);
    await waitFor(client, ConfigMap, site, ({ data }) => data?.['index.html'] === 'bye' && !data['more.html']);
    await waitFor(client, Deployment, site, ({ spec, status }) => spec?.replicas === 3 && status?.readyReplicas === 3);
    await untilReady(3);
    await eventually(async () => expect(await visit()).toBe('bye'), patiently);
  });

  it('says what it is in one line', async () => {
    await eventually(async () => {
      const [head, line] = (await kubectl(cluster, ['get', 'web'])).trim().split('\n');
      expect(head?.split(/\s+/)).toEqual(['NAME', 'AGE', 'REPLICAS', 'READY', 'ADDRESS']);
      expect(line?.split(/\s+/).slice(2)).toEqual(['3', '3', 'http://staticweb.default.svc']);
    }, patiently);
  });

  it('takes everything with it when it is deleted', async () => {
    await kubectl(cluster, ['delete', 'webserver', site.name]);
    await eventually(async () => {
      expect(await podNames()).toEqual([]);
      for (const type of [ConfigMap, Service, Deployment]) expect(await client.find(type, site)).toBeUndefined();
    }, patiently);
  });
});
