/** The healer as its users meet it: in the cluster, with no rights but its own, on real containers with real faults. */
import { AlertChannel, healer, Incident, Kurator, optionalRoles } from '@kurator/operator-kurator';
import { type Client, conditionOf, Deployment, installCrds, Pod, StatefulSet, waitFor } from '@kurator/sdk';
import { BUSYBOX_IMAGE, busyboxImage, type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, kubectl } from './support/kubectl.ts';
import { runInCluster } from './support/operator-in-cluster.ts';

let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-heal', nodes: 2 }));
  client = await cluster.client();
  await cluster.load((await busyboxImage()).path);
  await installCrds(client, [Kurator, Incident, AlertChannel]);
  const operator = healer();
  const permissions = await operator.permissions();
  await runInCluster(cluster, client, {
    name: operator.name,
    entry: 'operators/kurator/src/main.ts',
    threads: { 'shard-worker': 'operators/kurator/src/checks/pool/shard-worker.ts' },
    permissions: { ...permissions, namespaced: [...permissions.namespaced, ...optionalRoles.metrics] },
  });
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

const serving = 'mkdir -p /www && echo hello >/www/index.html && exec httpd -f -p 8080 -h /www';
const container = {
  name: 'main',
  image: BUSYBOX_IMAGE,
  command: ['sh', '-c', serving],
  ports: [{ name: 'http', containerPort: 8080 }],
};
const workload = (app: string) => {
  const labels = { app };
  const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } };
  return {
    metadata: { name: app, namespace: 'default' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  };
};
const kurator = (name: string, spec: object) =>
  kubectl(
    cluster,
    ['apply', '-f', '-'],
    JSON.stringify({
      apiVersion: 'kurator.sh/v1alpha1',
      kind: 'Kurator',
      metadata: { name },
      spec: { checks: [{ http: {}, period: '2s', timeout: '1s' }], ...spec },
    }),
  );
const pods = async (labelSelector: string) => {
  const { items } = await client.list(Pod, { namespace: 'default', labelSelector });
  return items.filter(({ metadata }) => !metadata.deletionTimestamp);
};
const operatorPods = async () => (await client.list(Pod, { namespace: 'kurator' })).items;
const uids = (all: readonly Pod[]) => all.map(({ metadata }) => metadata.uid);
const untilHealthy = (name: string) =>
  waitFor(
    client,
    Kurator,
    { name, namespace: 'default' },
    ({ status }) => status?.health === 'Healthy' && status.ready === '3/3',
    { description: 'to be healthy', timeout: 90_000 },
  );
const untilClosed = (name: string) =>
  eventually(async () => {
    const found = await client.get(Incident, { name, namespace: 'default' });
    expect(found.status?.stage, found.status?.summary).toBe('closed');
    return found;
  }, 90_000);

describe('a service of three replicas, adopted', () => {
  it('is seen healthy', async () => {
    await client.create(Deployment, workload('web'));
    await kurator('web', { targetRef: { kind: 'Deployment', name: 'web' }, recovery: { stability: '5s' } });
    await untilHealthy('web');
    expect(await kubectl(cluster, ['get', 'kurator', 'web'])).toMatch(/Healthy +3\/3/);
  });

  it('has the one instance replaced that hangs, and no other', async () => {
    const [ill, ...well] = await pods('app=web');
    if (!ill) throw new Error('no pods');
    await cluster.faults.freeze({ pod: ill });
    const { status } = await untilClosed('web-1');
    await untilHealthy('web');
    const after = await pods('app=web');
    expect(uids(after)).not.toContain(ill.metadata.uid);
    expect(uids(after)).toEqual(expect.arrayContaining(uids(well)));
    expect(status).toMatchObject({
      cause: 'hang',
      actions: [{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }],
      evidence: { instances: [{ name: ill.metadata.name, node: ill.spec?.nodeName }] },
    });
    const stages = status?.stages?.map(({ stage }) => stage);
    expect(stages).toEqual(['suspected', 'confirmed', 'repairing', 'verifying', 'recovered']);
  });
});

describe('the same service', () => {
  it('is left to Kubernetes when a container crashes, and is on record', async () => {
    const before = await pods('app=web');
    const [ill] = before;
    if (!ill) throw new Error('no pods');
    await cluster.faults.kill({ pod: ill });
    const { status } = await untilClosed('web-2');
    await untilHealthy('web');
    expect(status).toMatchObject({ cause: 'crash', actions: [] });
    expect(uids(await pods('app=web')).toSorted()).toEqual(uids(before).toSorted());
  });

  it('is repaired once though the healer is killed in the middle of it', async () => {
    const [ill, ...well] = await pods('app=web');
    const [operator] = await operatorPods();
    if (!ill || !operator) throw new Error('no pods');
    await cluster.faults.freeze({ pod: ill });
    await eventually(async () => void (await client.get(Incident, { name: 'web-3', namespace: 'default' })));
    await cluster.faults.kill({ pod: operator });
    const { status } = await untilClosed('web-3');
    await untilHealthy('web');
    expect(status?.actions).toMatchObject([{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }]);
    const after = uids(await pods('app=web'));
    expect(after).not.toContain(ill.metadata.uid);
    expect(after).toEqual(expect.arrayContaining(uids(well)));
  });
});

describe('a service under load', () => {
  const replicas = async () => (await client.get(Deployment, { name: 'busy', namespace: 'default' })).spec?.replicas;

  it('gets more instances, and loses them again when the load is gone', async () => {
    const { metadata, spec } = workload('busy');
    const limited = { ...container, resources: { requests: { cpu: '100m' }, limits: { cpu: '200m' } } };
    const template = { ...spec.template, spec: { ...spec.template.spec, containers: [limited] } };
    await client.create(Deployment, { metadata, spec: { ...spec, replicas: 1, template } });
    const rate = { stabilisation: '5s', every: '2s' };
    const scaling = { min: 1, max: 3, targets: [{ cpu: 60 }], in: rate, out: rate };
    await kurator('busy', { targetRef: { kind: 'Deployment', name: 'busy' }, scaling });
    const [only] = await eventually(async () => {
      const all = await pods('app=busy');
      expect(all[0]?.status?.phase).toBe('Running');
      return all;
    });
    if (!only) throw new Error('no pods');
    const load = await cluster.faults.burnCpu({ pod: only, cores: 1 });
    await eventually(async () => expect(await replicas()).toBeGreaterThan(1), 100_000);
    await load.heal();
    await eventually(async () => expect(await replicas()).toBe(1), 100_000);
  }, 240_000);
});

describe('a StatefulSet of three, adopted', () => {
  it('has the one instance replaced that hangs, and no other', async () => {
    const { metadata, spec } = workload('db');
    await client.create(StatefulSet, { metadata, spec: { ...spec, serviceName: 'db' } });
    await kurator('db', { targetRef: { kind: 'StatefulSet', name: 'db' }, recovery: { stability: '5s' } });
    await untilHealthy('db');
    const before = await pods('app=db');
    const ill = before.find((pod) => pod.metadata.name === 'db-1');
    if (!ill) throw new Error('no db-1');
    await cluster.faults.freeze({ pod: ill });
    const { status } = await untilClosed('db-1');
    await untilHealthy('db');
    expect(status).toMatchObject({ cause: 'hang', actions: [{ step: 'replace', targets: ['db-1'] }] });
    const after = await pods('app=db');
    expect(uids(after)).not.toContain(ill.metadata.uid);
    const others = before.filter((pod) => pod !== ill);
    expect(uids(after)).toEqual(expect.arrayContaining(uids(others)));
  });
});

describe('a service of its own', () => {
  const shop = { name: 'shop', namespace: 'default' };
  const service = (script: string) => ({
    image: BUSYBOX_IMAGE,
    command: ['sh', '-c', script],
    port: 8080,
    replicas: 3,
    podTemplate: { spec: { terminationGracePeriodSeconds: 1 } },
  });
  const recovery = { stability: '5s', provenAfter: '2s' };

  it('is made, and seen healthy', async () => {
    await kurator('shop', { service: service(serving), recovery });
    await untilHealthy('shop');
    await eventually(async () => {
      const { status } = await client.get(Kurator, shop);
      expect(status?.memory).toMatchObject({ history: { revisions: { healthy: [expect.any(String)] } } });
    });
  });

  it('goes back to what was well when a new revision crashes, and stays there', async () => {
    const good = await client.get(Deployment, shop);
    await kurator('shop', { service: service('echo broken; exit 1'), recovery });
    const { status } = await untilClosed('shop-1');
    expect(status).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] });
    expect(status?.evidence?.instances?.[0]?.logs).toContain('broken');
    const held = await untilHealthy('shop');
    expect(conditionOf(held.status?.conditions, 'Applied')).toMatchObject({ reason: 'HeldBack' });
    const { spec } = await client.get(Deployment, shop);
    expect(spec?.template).toEqual(good.spec?.template);
  });
});
