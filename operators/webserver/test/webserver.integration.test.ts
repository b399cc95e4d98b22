// The web server against the real API server, where nothing runs: its three children, and what becomes of meddling.
import { type Client, ConfigMap, Deployment, type ResourceType, Service, waitFor, waitUntilGone } from '@kurator/sdk';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebServer, webserver } from '../src/index.ts';

let client: Client;
let site: { name: string; namespace: string };
let stop: () => Promise<void>;

beforeEach(async () => {
  client = await sharedClient();
  site = { name: 'site', namespace: await testNamespace(client, 'web') };
  ({ stop } = await webserver.start({ client, namespaces: site.namespace, http: false, log: 'silent' }));
  const pages = { 'index.html': 'hello' };
  await client.create(WebServer, { metadata: site, spec: { replicas: 2, image: 'web:1', pages } });
  await waitFor(client, WebServer, site, ({ status }) => status?.observedGeneration === 1);
});

afterEach(async () => {
  await stop();
  await client.close();
});

const checksumOf = ({ spec }: Deployment) => spec?.template.metadata?.annotations?.['example.com/pages'];

it('makes the pages, the servers and the name they are found by', async () => {
  expect((await client.get(ConfigMap, site)).data).toEqual({ 'index.html': 'hello' });
  expect((await client.get(Service, site)).spec).toMatchObject({ ports: [{ port: 80, targetPort: 8080 }] });
  expect((await client.get(Deployment, site)).spec).toMatchObject({ replicas: 2 });
  const { status } = await client.get(WebServer, site);
  expect(status).toMatchObject({ readyReplicas: 0, address: `http://site.${site.namespace}.svc` });
});

it('rolls the servers when a page changes, and only then', async () => {
  const before = await client.get(Deployment, site);
  await client.patch(WebServer, site, { spec: { replicas: 3 } });
  const scaled = await waitFor(client, Deployment, site, ({ spec }) => spec?.replicas === 3);
  expect(checksumOf(scaled)).toBe(checksumOf(before));
  await client.patch(WebServer, site, { spec: { pages: { 'index.html': 'bye' } } });
  const rolled = await waitFor(client, Deployment, site, (deployment) => checksumOf(deployment) !== checksumOf(before));
  expect(rolled.spec?.template.spec).toEqual(before.spec?.template.spec);
});

it.each([
  ['ConfigMap', ConfigMap],
  ['Service', Service],
  ['Deployment', Deployment],
] as [string, ResourceType][])('makes its %s again when somebody deletes it', async (_, type) => {
  const { metadata } = await client.get(type, site);
  await client.delete(type, site);
  await waitFor(client, type, site, (made) => made.metadata.uid !== metadata.uid);
});

it('undoes what somebody edits', async () => {
  await client.patch(ConfigMap, site, { data: { 'index.html': 'defaced', 'extra.html': 'mine' } });
  await client.patch(Service, site, { spec: { selector: { 'example.com/webserver': 'other' } } });
  await client.patch(Deployment, site, { spec: { replicas: 0 } });
  await waitFor(client, ConfigMap, site, ({ data }) => JSON.stringify(data) === '{"index.html":"hello"}');
  await waitFor(client, Service, site, ({ spec }) => spec?.selector?.['example.com/webserver'] === 'site');
  await waitFor(client, Deployment, site, ({ spec }) => spec?.replicas === 2);
});

it('refuses a page that is no text', async () => {
  const pages = { 'index.html': 42 } as unknown as Record<string, string>;
  await expect(client.patch(WebServer, site, { spec: { pages } })).rejects.toThrow('spec.pages');
  await client.delete(WebServer, site);
  await waitUntilGone(client, WebServer, site);
});
