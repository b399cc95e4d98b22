/** Packets lost on the way into and out of one node of three: with agents on the nodes, the healer says which one. */
import { agentDaemonSet, agentKey, Incident, Kurator, optionalRoles } from '@kurator/operator-kurator';
import { type Client, DaemonSet, Deployment, Pod, Role, RoleBinding, Secret, waitFor } from '@kurator/sdk';
import { BUSYBOX_IMAGE, type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHealer } from './support/healer/run-healer.ts';
import { eventually } from './support/kubectl.ts';

const namespace = 'kurator';
const web = { name: 'web', namespace: 'default' };
const labels = { app: 'web' };
let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-heal-agent', nodes: 3 }));
  client = await cluster.client();
  const running = runHealer(cluster, client, agentKey());
  await Promise.all([running, haveAgents(), haveService()]);
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

/** As a person would set them up: a key, the optional role, and the DaemonSet. */
async function haveAgents(): Promise<void> {
  const key = Buffer.from('a key of the tests, and of nobody else').toString('base64');
  await eventually(
    () => client.create(Secret, { metadata: { name: 'kurator-agent', namespace }, data: { key } }),
    60_000,
  );
  const name = 'kurator-agents';
  const apiGroup = 'rbac.authorization.k8s.io';
  await client.create(Role, { metadata: { name, namespace }, rules: [...optionalRoles.agents] });
  await client.create(RoleBinding, {
    metadata: { name, namespace },
    roleRef: { apiGroup, kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name: 'kurator', namespace }],
  });
  const { metadata } = await client.create(DaemonSet, agentDaemonSet({ namespace, image: 'kurator:e2e' }));
  const isReady = ({ status }: DaemonSet) => status?.numberReady === 3;
  await waitFor(client, DaemonSet, metadata, isReady, { description: 'to be ready on every node', timeout: 90_000 });
}

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
  await waitFor(client, Kurator, web, isWell, { description: 'to be healthy', timeout: 60_000 });

  const others = [{ node: 'n1' }, { node: 'n3' }];
  const bad = { node: 'n2' };
  await cluster.faults.drop({ percent: 30, from: others, to: bad, port: 8080 });
  await cluster.faults.drop({ percent: 30, from: bad, to: others, port: 8080 });

  const { status } = await eventually(async () => {
    const found = await client.get(Incident, { name: 'web-1', namespace: web.namespace });
    expect(found.status?.stage, found.status?.summary).toBe('proposed');
    return found;
  }, 100_000);
  const { items } = await client.list(Pod, { namespace: web.namespace, labelSelector: 'app=web' });
  const there = items.filter(({ spec }) => spec?.nodeName === 'n2').map(({ metadata }) => metadata.name);
  expect(status?.reasons?.join('\n')).toContain('every path into or out of node n2 loses packets');
  expect(status).toMatchObject({ cause: 'node', actions: [] });
  expect(status?.evidence?.instances?.map(({ name }) => name)).toEqual(there);
});
