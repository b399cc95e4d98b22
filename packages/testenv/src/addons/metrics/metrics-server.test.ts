// The whole server, between a kubelet and an API server that are played by loopback HTTPS servers.
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Client, createClient, isNotFound, NodeMetrics, PodMetrics } from '@kurator/client';
import type { KeyPair } from '@kurator/pki';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterAuthority, issueFor } from '../../cluster/certificates.ts';
import { until } from '../../internal/until.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';

const loopback = ['127.0.0.1'];
let cluster: KeyPair;
let frontProxy: KeyPair;
let kubelet: { server: Server; url: string; healthy: boolean };
let apiServer: { server: Server; client: Client; asked: string[] };
let metrics: MetricsServer;
let client: Client;

const pem = (pair: KeyPair) => ({ cert: pair.pem, key: pair.exportKey() });

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startKubelet() {
  const serving = pem(issueFor(cluster, { commonName: 'system:node:n1', names: loopback }));
  const started = Date.now();
  const state = { healthy: true };
  const server = createServer({ ...serving, ca: cluster.pem, requestCert: true }, (request, response) => {
    if (!state.healthy || request.url !== '/metrics/resource') return void response.writeHead(500).end();
    // Each look finds a minute later, in which a quarter of a core was used.
    looks += 1;
    const at = started + looks * 60_000;
    const labels = '{container="app",namespace="shop",pod="web"}';
    response.end(
      [
        `container_cpu_usage_seconds_total${labels} ${looks * 15} ${at}`,
        `container_memory_working_set_bytes${labels} 1048576 ${at}`,
        `node_cpu_usage_seconds_total ${looks * 30} ${at}`,
        `node_memory_working_set_bytes 3145728 ${at}`,
      ].join('\n'),
    );
  });
  let looks = 0;
  return Object.assign(state, { server, url: await listen(server) });
}

async function startApiServer() {
  const serving = pem(issueFor(cluster, { commonName: 'kube-apiserver', names: loopback }));
  const node = { metadata: { name: 'n1', labels: { zone: 'a' } } };
  const pod = { metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } }, spec: { nodeName: 'n1' } };
  const young = { metadata: { name: 'young', namespace: 'shop' }, spec: { nodeName: 'n1' } };
  const objects: Record<string, object> = {
    '/api/v1/nodes': { items: [node] },
    '/api/v1/nodes/n1': node,
    '/api/v1/pods': { items: [pod, young] },
    '/api/v1/namespaces/shop/pods': { items: [pod, young] },
    '/api/v1/namespaces/shop/pods/web': pod,
    '/api/v1/namespaces/shop/pods/young': young,
  };
  const asked: string[] = [];
  const server = createServer(serving, ({ url = '' }, response) => {
    asked.push(decodeURIComponent(url));
    const object = objects[url.split('?')[0] ?? ''];
    const missing = { kind: 'Status', message: 'not found', reason: 'NotFound', code: 404, details: { name: 'x' } };
    response.writeHead(object ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(object ?? missing));
  });
  return { server, asked, client: createClient({ server: await listen(server), ca: cluster.pem }) };
}

async function caller(pair?: KeyPair): Promise<Client> {
  return createClient({
    server: `https://127.0.0.1:${metrics.port}`,
    ca: cluster.pem,
    tlsServerName: 'metrics.test',
    ...(pair ? pem(pair) : {}),
  });
}

beforeEach(async () => {
  [cluster, frontProxy] = [clusterAuthority('cluster'), clusterAuthority('front-proxy')];
  kubelet = await startKubelet();
  apiServer = await startApiServer();
  metrics = await startMetricsServer({
    client: apiServer.client,
    kubelets: [
      { node: 'n1', url: kubelet.url },
      { node: 'dead', url: 'https://127.0.0.1:1' },
    ],
    kubeletCredentials: { ca: cluster.pem, ...pem(issueFor(cluster, { commonName: 'kubelet-client' })) },
    serving: pem(issueFor(cluster, { commonName: 'metrics', names: ['metrics.test'] })),
    frontProxy: { ca: frontProxy.pem, names: ['front-proxy-client'] },
    host: '127.0.0.1',
    interval: 10,
  });
  client = await caller(issueFor(frontProxy, { commonName: 'front-proxy-client' }));
});

afterEach(async () => {
  await client.close();
  await metrics.stop();
  await apiServer.client.close();
  for (const { server } of [kubelet, apiServer]) {
    server.closeAllConnections();
    server.close();
  }
});

const firstMetrics = () => until('metrics of n1', () => client.find(NodeMetrics, { name: 'n1' }));

describe('metrics', () => {
  it('of nodes and pods are got and listed', async () => {
    expect(await firstMetrics()).toMatchObject({
      kind: 'NodeMetrics',
      metadata: { name: 'n1', labels: { zone: 'a' } },
      window: '60.000s',
      usage: { cpu: '500m', memory: '3Mi' },
    });
    expect(await client.get(PodMetrics, { name: 'web', namespace: 'shop' })).toMatchObject({
      kind: 'PodMetrics',
      metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
      containers: [{ name: 'app', usage: { cpu: '250m', memory: '1Mi' } }],
    });
    expect(await client.raw('GET', '/apis/metrics.k8s.io/v1beta1/nodes')).toMatchObject({
      kind: 'NodeMetricsList',
      items: [{ metadata: { name: 'n1' } }],
    });
  });

  it('that are not known are left out of lists, and are not found', async () => {
    await firstMetrics();
    const { items } = await client.list(PodMetrics, { namespace: 'shop' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['web']);
    for (const name of ['young', 'nobody']) {
      const error = await client.get(PodMetrics, { name, namespace: 'shop' }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 404 });
    }
  });

  it('are selected by the API server', async () => {
    await client.list(PodMetrics, { namespace: 'shop', labelSelector: 'app=web', fieldSelector: 'metadata.name=web' });
    expect(apiServer.asked.at(-1)).toBe(
      '/api/v1/namespaces/shop/pods?labelSelector=app=web&fieldSelector=metadata.name=web,status.phase=Running',
    );
  });

  it('of a node that no longer answers are gone, and come back with it', async () => {
    await firstMetrics();
    kubelet.healthy = false;
    await until('no metrics of n1', async () => (await client.list(NodeMetrics)).items.length === 0);
    kubelet.healthy = true;
    await firstMetrics();
  });
});

describe('discovery', () => {
  it('tells what there is', async () => {
    expect(await client.raw('GET', '/apis/metrics.k8s.io/v1beta1')).toMatchObject({
      kind: 'APIResourceList',
      resources: [
        { name: 'nodes', kind: 'NodeMetrics', namespaced: false },
        { name: 'pods', kind: 'PodMetrics', namespaced: true },
      ],
    });
    expect(await client.raw('GET', '/apis')).toMatchObject({ groups: [{ name: 'metrics.k8s.io' }] });
  });

  it.each([
    ['an unknown path', '/api/v1/pods', 404],
    ['an unknown resource', '/apis/metrics.k8s.io/v1beta1/things', 404],
    ['a watch', '/apis/metrics.k8s.io/v1beta1/nodes?watch=true', 405],
    ['a path that makes no sense', '/apis/%zz', 400],
  ])('refuses %s with a Status', async (_, path, status) => {
    await expect(client.raw('GET', path)).rejects.toMatchObject({ status, reason: expect.any(String) });
  });

  it('refuses to be written to', async () => {
    await expect(client.raw('DELETE', '/apis/metrics.k8s.io/v1beta1/nodes')).rejects.toMatchObject({ status: 405 });
  });
});

describe('callers', () => {
  it.each([
    ['without a certificate', async () => undefined],
    ['with a certificate of another authority', () => issueFor(cluster, { commonName: 'front-proxy-client' })],
    ['with another name', () => issueFor(frontProxy, { commonName: 'someone' })],
  ])('%s are refused', async (_, credentials) => {
    await using stranger = await caller(await credentials());
    const error = await stranger.raw('GET', '/apis/metrics.k8s.io/v1beta1/nodes').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'KUR_CLIENT_UNAUTHORIZED' });
    expect(isNotFound(error)).toBe(false);
    expect(await stranger.raw('GET', '/healthz')).toBe('ok');
  });
});
