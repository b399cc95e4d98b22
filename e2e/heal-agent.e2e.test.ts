/**
 * Packets lost on the way into and out of one node of three: with agents on the nodes, the healer says which one. Both come
 * from the chart, as their users get them, where the healer may work in one namespace and has none of the optional rights
 * but that to find its agents.
 */
import { SubjectAccessReview } from '@kurator/client/authorization/v1';
import { Incident, Kurator, optionalRoles } from '@kurator/operator-kurator';
import { type Client, DaemonSet, Deployment, Namespace, Pod, Role, Secret, waitFor } from '@kurator/sdk';
import { BUSYBOX_IMAGE, busyboxImage, type Cluster, createCluster, eventually } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestsOf } from './support/healer/audit.ts';
import { expectWithinRoles } from './support/healer/ending.ts';
import { chart, helm, obtainHelm } from './support/helm.ts';
import { patiently } from './support/kubectl.ts';
import { buildHealer } from './support/kurator-command.ts';

const namespace = 'kurator';
const agents = { name: 'kurator-node-agent', namespace };
const web = { name: 'web', namespace: 'default' };
const labels = { app: 'web' };
let cluster: Cluster;
let client: Client;
let helmProgram: string;

beforeAll(async () => {
  helmProgram = obtainHelm();
  const building = buildHealer('kurator:e2e');
  ({ cluster } = await createCluster({ name: 'e2e-heal-agent', nodes: 3, audit: true }));
  client = await cluster.client();
  await cluster.load((await busyboxImage()).path);
  await haveService();
  await cluster.load((await building).path);
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.create(Namespace, { metadata: { name: namespace, labels: restricted } });
  await install('install', '--wait', '--timeout', '250s');
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

/** As a person would, who has services in one namespace. */
async function install(how: 'install' | 'upgrade', ...more: string[]): Promise<void> {
  const values = {
    'image.tag': 'e2e',
    replicas: 1,
    watchNamespaces: `{${web.namespace}}`,
    'agents.enabled': true,
    // Without a share of its own it would get what the others leave.
    'resources.requests.cpu': '250m',
  };
  const settings = Object.entries(values).flatMap(([name, value]) => ['--set', `kurator.${name}=${value}`]);
  await helm(helmProgram, cluster, how, 'kurator', chart, '--namespace', namespace, ...settings, ...more);
}

const keyOfAgents = async () => (await client.get(Secret, { name: 'kurator-agent', namespace })).data?.key ?? '';

/** One instance on each node. */
async function haveService(): Promise<void> {
  const term = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
  await client.create(Deployment, {
    metadata: web,
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
          containers: [
            {
              name: 'main',
              image: BUSYBOX_IMAGE,
              command: ['sh', '-c', 'mkdir -p /www && echo hello >/www/index.html && exec httpd -f -p 8080 -h /www'],
              ports: [{ name: 'http', containerPort: 8080 }],
            },
          ],
        },
      },
    },
  });
}

it('is an agent on each node, which has a key and nothing else, and a healer that may find it', async () => {
  const isOnEach = ({ status }: DaemonSet) => status?.numberReady === 3;
  await waitFor(client, DaemonSet, agents, isOnEach, { description: 'to be ready on every node', timeout: 200_000 });
  const labelSelector = 'app.kubernetes.io/component=node-agent';
  const { items } = await client.list(Pod, { namespace, labelSelector });
  expect(items.map(({ spec }) => spec?.nodeName).toSorted()).toEqual(['n1', 'n2', 'n3']);
  // No token: whoever gets into one of them is nobody to the API server.
  expect(items.map(({ spec }) => spec?.volumes?.map(({ name }) => name))).toEqual(items.map(() => ['agent-key']));
  expect(Buffer.from(await keyOfAgents(), 'base64').length).toBeGreaterThanOrEqual(32);
  const { rules } = await client.get(Role, { name: 'kurator-agents', namespace });
  expect(rules).toEqual(optionalRoles.agents);
});

it.each([
  ['list', { resource: 'pods', namespace }, true],
  ['get', { resource: 'secrets', namespace }, false],
  ['list', { resource: 'pods', namespace: 'default' }, true],
  ['list', { resource: 'pods', namespace: 'kube-system' }, false],
  ['get', { resource: 'secrets', namespace: 'default' }, false],
  ['create', { resource: 'pods', subresource: 'exec', namespace: 'default' }, false],
  ['list', { resource: 'pods', group: 'metrics.k8s.io', namespace: 'default' }, false],
])('is a healer that may %s %o: %s', async (verb, what, answer) => {
  const user = `system:serviceaccount:${namespace}:kurator`;
  const spec = { user, resourceAttributes: { verb, ...what } };
  const { status } = await client.create(SubjectAccessReview, { metadata: {}, spec });
  expect(status?.allowed).toBe(answer);
});

it('is said to be that node’s fault, and nobody else is blamed', async () => {
  const check = { period: '2s', timeout: '2s', failAfter: 10, recoverAfter: 1 };
  await client.create(Kurator, {
    metadata: web,
    spec: {
      targetRef: { kind: 'Deployment', name: 'web' },
      // Many of them: loss is found by counting connections, and paths are compared when enough were counted on each.
      checks: [
        { ...check, name: 'page', http: {} },
        ...Array.from({ length: 15 }, (_, i) => ({ ...check, name: `port-${i}`, tcp: {} })),
      ],
      dryRun: true,
    },
  } as never);
  const isWell = ({ status }: Kurator) => status?.health === 'Healthy' && status.ready === '3/3';
  await waitFor(client, Kurator, web, isWell, { description: 'to be healthy', timeout: 200_000 });

  const others = [{ node: 'n1' }, { node: 'n3' }];
  const bad = { node: 'n2' };
  await cluster.faults.drop({ percent: 30, from: others, to: bad, port: 8080 });
  await cluster.faults.drop({ percent: 30, from: bad, to: others, port: 8080 });

  const { status } = await eventually(
    async () => {
      const found = await client.get(Incident, { name: 'web-1', namespace: web.namespace });
      expect(found.status?.stage, found.status?.summary).toBe('proposed');
      return found;
    },
    { ...patiently, timeout: 100_000 },
  );
  const { items } = await client.list(Pod, { namespace: web.namespace, labelSelector: 'app=web' });
  const there = items.filter(({ spec }) => spec?.nodeName === 'n2').map(({ metadata }) => metadata.name);
  expect(status?.reasons?.join('\n')).toContain('every path into or out of node n2 loses packets');
  expect(status).toMatchObject({ cause: 'node', actions: [] });
  expect(status?.evidence?.instances?.map(({ name }) => name)).toEqual(there);
});

it('asks for nothing beyond its roles', async () => {
  expectWithinRoles(await requestsOf(cluster, namespace, 'kurator'));
});

it('has the same agents with the same key when it is upgraded', async () => {
  const key = await keyOfAgents();
  const before = await client.get(DaemonSet, agents);
  await install('upgrade');
  expect(await keyOfAgents()).toBe(key);
  expect((await client.get(DaemonSet, agents)).metadata.generation).toBe(before.metadata.generation);
});
