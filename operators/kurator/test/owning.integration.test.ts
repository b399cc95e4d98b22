// Whose a service is, with a real controller manager: handed over and back without touching a pod, left to an autoscaler,
// and nothing taken that is somebody else's.
import {
  type Client,
  conditionOf,
  createClient,
  Deployment,
  Event,
  HorizontalPodAutoscaler,
  installCrds,
  loadKubeconfig,
  Pod,
  ReplicaSet,
  type RunningOperator,
  Service,
  StatefulSet,
  waitFor,
  waitUntilGone,
} from '@kurator/sdk';
import { type Cluster, createCluster, eventually, testNamespace } from '@kurator/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { healer } from '../src/healer/healer.ts';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { KuratorSwitch } from '../src/resources/kurator-switch.ts';

let cluster: Cluster;
let client: Client;
let namespace: string;
let self: { name: string; namespace: string };
let running: RunningOperator | undefined;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: `owning-${process.pid}`, controllers: true }));
  client = createClient(await loadKubeconfig(cluster.kubeconfig));
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
}, 120_000);

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

beforeEach(async () => {
  namespace = await testNamespace(client, 'owning');
  self = { name: 'shop', namespace };
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const start = async () => {
  running = await healer({ threads: 0 }).start({
    client,
    namespaces: namespace,
    http: false,
    log: 'silent',
    installCrds: 'never',
  });
};
const service = { image: 'shop:1', port: 8080 };
// Nothing runs here, so nothing is to be checked, found ill, and repaired.
const checks = [{ http: { port: 'main' } }];
const make = (given: object = service) =>
  client.create(Kurator, { metadata: self, spec: { service: given, checks, pause: true } as never });
const change = (spec: object) => client.patch(Kurator, self, { spec });
/** Until the operator has seen the Kurator as it is now, and has done what it does for it. */
const untilDone = async () => {
  const { metadata } = await client.get(Kurator, self);
  return await waitFor(
    client,
    Kurator,
    self,
    ({ status }) => (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    { timeout: 30_000, description: 'to be seen' },
  );
};
const untilMade = (pods = 1) =>
  waitFor(client, Deployment, self, ({ status }) => status?.replicas === pods, {
    timeout: 30_000,
    description: `to have ${pods} pods`,
  });

/** Who and what there is, as far as a pod could notice a change of it. */
async function identities() {
  const [deployment, front, sets, pods] = await Promise.all([
    client.get(Deployment, self),
    client.get(Service, self),
    client.list(ReplicaSet, { namespace }),
    client.list(Pod, { namespace }),
  ]);
  return {
    deployment: [deployment.metadata.uid, deployment.metadata.generation, deployment.spec],
    service: [front.metadata.uid, front.spec],
    sets: sets.items.map(({ metadata }) => [metadata.uid, metadata.generation]).sort(),
    pods: pods.items.map(({ metadata }) => metadata.uid).sort(),
  };
}
const ownersOf = async () => {
  const both = await Promise.all([client.get(Deployment, self), client.get(Service, self)]);
  return both.flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`));
};

describe('service and targetRef of the same workload', () => {
  it('are exchanged, both ways, without touching a pod', async () => {
    await make({ ...service, replicas: 3 });
    await start();
    await untilMade(3);
    const before = await identities();
    expect(before.pods).toHaveLength(3);

    await change({ service: null, targetRef: { kind: 'Deployment', name: 'shop' } });
    const { status } = await untilDone();
    expect(await ownersOf()).toEqual([]);
    expect(await identities()).toEqual(before);
    expect(conditionOf(status?.conditions, 'Applied')).toMatchObject({ status: 'Unknown', reason: 'HandedOver' });
    const handed = await client.get(Deployment, self);
    expect(handed.metadata.labels).toEqual({
      'app.kubernetes.io/name': 'shop',
      'kurator.sh/kurator': 'shop',
      'kurator.dev/released-by': 'kurator',
    });
    const ours = handed.metadata.managedFields?.filter(({ manager }) => manager === 'kurator') ?? [];
    expect(ours.filter(({ fieldsV1 }) => fieldsV1 && 'f:spec' in fieldsV1)).toEqual([]);

    await change({ targetRef: null, service: { ...service, replicas: 3 } });
    await untilDone();
    expect(await ownersOf()).toEqual(['Kurator shop', 'Kurator shop']);
    expect(await identities()).toEqual(before);

    // What is taken up again is all ours: a port that goes from the description goes from the Service.
    await change({ service: { port: 9090 } });
    await untilDone();
    expect((await client.get(Service, self)).spec?.ports).toMatchObject([{ port: 9090 }]);
    expect((await client.get(Deployment, self)).metadata.uid).toBe(before.deployment[0]);
  });

  it('of another workload leaves the old one as it is, lets go of it, and says so', async () => {
    await make();
    await start();
    await untilMade();
    const before = await identities();
    await change({ service: null, targetRef: { kind: 'Deployment', name: 'other' } });
    await untilDone();
    expect(await ownersOf()).toEqual([]);
    expect(await identities()).toEqual(before);
    await eventually(async () => {
      const { items } = await client.list(Event, { namespace });
      const told = items
        .filter(({ reason }) => reason === 'HandedOver')
        .map(({ type, message }) => `${type}: ${message}`);
      expect(told.sort()).toEqual([
        expect.stringMatching(/^Normal: .*Service shop stays as it is, and is not ours any more$/),
        expect.stringMatching(/^Warning: .*nobody looks after Deployment shop any more$/),
      ]);
    });
  });
});

describe('a hand-over', () => {
  const adopting = { service: null, targetRef: { kind: 'Deployment', name: 'shop' } };
  afterEach(async () => await client.delete(KuratorSwitch, { name: 'cluster' }).catch(() => {}));

  it.each(['Off', 'Observe'])('is done also while the switch is %s: what is said of it is true', async (mode) => {
    await make();
    await start();
    await untilMade();
    await client.create(KuratorSwitch, { metadata: { name: 'cluster' }, spec: { mode } as never });
    await waitFor(client, KuratorSwitch, { name: 'cluster' }, ({ status }) => status?.mode === mode);
    const before = await identities();
    await change(adopting);
    const { status } = await untilDone();
    expect(conditionOf(status?.conditions, 'Applied')).toMatchObject({ reason: 'HandedOver' });
    expect(await ownersOf()).toEqual([]);
    expect(await identities()).toEqual(before);
  });

  it('that can not be done is not claimed', async () => {
    await make();
    await start();
    await untilMade();
    await running?.stop();
    await client.patch(Deployment, self, { metadata: { labels: { 'kurator.dev/managed-by': null } } });
    await change(adopting);
    await start();
    const { status } = await untilDone();
    expect(await ownersOf()).toEqual(['Kurator shop']);
    const applied = conditionOf(status?.conditions, 'Applied');
    expect(applied).toMatchObject({ status: 'False', reason: 'NotHandedOver' });
    expect(applied?.message).toContain('Deployment shop');
  });

  it('takes place of a workload of another kind too, which is never deleted for it', async () => {
    await make();
    await start();
    await untilMade();
    const before = await identities();
    await running?.stop();
    // Nobody saw the step between.
    await change(adopting);
    await change({ targetRef: null, service: { ...service, kind: 'StatefulSet' } });
    await start();
    await waitFor(client, StatefulSet, self, () => true, { timeout: 30_000 });
    await untilDone();
    const after = await identities();
    expect([after.deployment, after.sets, after.service]).toEqual([before.deployment, before.sets, before.service]);
    expect(after.pods).toEqual(expect.arrayContaining(before.pods));
    expect(await ownersOf()).toEqual(['Kurator shop']);
    await eventually(async () => {
      const { items } = await client.list(Event, { namespace });
      const told = items.find(({ reason, type }) => reason === 'HandedOver' && type === 'Warning');
      expect(told?.message).toContain('nobody looks after Deployment shop any more');
    });
  });
});

describe('the end of a Kurator', () => {
  it('takes the service with it that is its own', async () => {
    await make();
    await start();
    await untilMade();
    await client.delete(Kurator, self);
    // The garbage collector looks for new kinds every half minute only.
    await waitUntilGone(client, Deployment, self, { timeout: 60_000 });
    await waitUntilGone(client, Service, self, { timeout: 60_000 });
  }, 90_000);
});

describe('replicas that are not given', () => {
  const replicas = async () => (await client.get(Deployment, self)).spec?.replicas;
  const autoscale = (minReplicas: number) =>
    client.create(HorizontalPodAutoscaler, {
      metadata: self,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
        minReplicas,
        maxReplicas: 9,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    });
  /** Has the operator apply the whole workload anew. */
  const applyAnew = async (image: string) => {
    await change({ service: { image } });
    await waitFor(client, Deployment, self, ({ spec }) => spec?.template.spec?.containers[0]?.image === image, {
      timeout: 30_000,
      description: 'to have the new image',
    });
  };

  it('are an autoscaler’s', async () => {
    await make();
    await start();
    await untilMade();
    await autoscale(3);
    await waitFor(client, Deployment, self, ({ spec }) => spec?.replicas === 3, { timeout: 60_000 });
    const { generation } = (await client.get(Deployment, self)).metadata;
    await applyAnew('shop:2');
    await untilDone();
    const { spec, metadata } = await client.get(Deployment, self);
    expect(spec?.replicas).toBe(3);
    // One change, that of the image: nobody has fought about the rest in between.
    expect(metadata.generation).toBe((generation ?? 0) + 1);
  }, 90_000);

  it('stay what they are when they are taken out of the description, and are whoever’s then', async () => {
    await make({ ...service, replicas: 3 });
    await start();
    await untilMade(3);
    const { generation } = (await client.get(Deployment, self)).metadata;
    await change({ service: { replicas: null } });
    await untilDone();
    await applyAnew('shop:2');
    await untilDone();
    expect([await replicas(), (await client.get(Deployment, self)).metadata.generation]).toEqual([
      3,
      (generation ?? 0) + 1,
    ]);
    await client.patch(Deployment, self, { spec: { replicas: 2 } }, { subresource: 'scale' });
    await applyAnew('shop:3');
    await untilDone();
    expect(await replicas()).toBe(2);
  });

  it('are put back where they are given', async () => {
    await make({ ...service, replicas: 3 });
    await start();
    await untilMade(3);
    await client.patch(Deployment, self, { spec: { replicas: 1 } }, { subresource: 'scale' });
    await waitFor(client, Deployment, self, ({ spec }) => spec?.replicas === 3);
  });
});

describe('what has the name already, and is somebody else’s', () => {
  const theirs = { app: 'theirs' };
  const ours = { 'kurator.sh/kurator': 'shop' };
  const appliedMessage = async () =>
    conditionOf((await client.get(Kurator, self)).status?.conditions, 'Applied')?.message;
  /** As a kubelet would say it. */
  const makeReady = async () => {
    const { items } = await client.list(Pod, { namespace, labelSelector: 'kurator.sh/kurator=shop' });
    const conditions = [{ type: 'Ready', status: 'True' as const }];
    for (const { metadata } of items) {
      await client.patch(Pod, metadata, { status: { phase: 'Running', conditions } }, { subresource: 'status' });
    }
  };

  it('is left alone when it is a Service, with what to do; and is taken when that is done', async () => {
    const made = await client.create(Service, {
      metadata: { ...self, labels: theirs },
      spec: { selector: theirs, ports: [{ port: 8080 }] },
    });
    await make();
    await start();
    await untilMade();
    const { status } = await untilDone();
    const applied = conditionOf(status?.conditions, 'Applied');
    expect(applied).toMatchObject({ status: 'False', reason: 'NotApplied' });
    expect(applied?.message).toContain(`kubectl label service shop -n ${namespace} kurator.sh/kurator=shop`);
    const left = await client.get(Service, self);
    expect([left.metadata.resourceVersion, left.spec]).toEqual([made.metadata.resourceVersion, made.spec]);

    // Until then whoever has it so far goes on answering.
    await client.patch(Service, self, { metadata: { labels: ours } });
    await eventually(async () => expect(await appliedMessage()).toContain('until a pod of Deployment shop is ready'));
    expect((await client.get(Service, self)).spec).toEqual(made.spec);

    await makeReady();
    const taken = await waitFor(client, Service, self, ({ metadata }) => metadata.ownerReferences !== undefined);
    expect(taken.metadata.uid).toBe(made.metadata.uid);
    expect(taken.spec?.selector).toEqual({ 'kurator.sh/kurator': 'shop' });
  });

  it.each([
    ['is not labelled', false],
    ['is labelled, as its Service is', true],
  ])('is never half taken: a workload with another selector that %s, and its Service', async (_, isLabelled) => {
    const labels = { ...theirs, ...(isLabelled && ours) };
    const deployment = await client.create(Deployment, {
      metadata: { ...self, labels },
      spec: {
        selector: { matchLabels: theirs },
        template: { metadata: { labels: theirs }, spec: { containers: [{ name: 'main', image: 'theirs:1' }] } },
      },
    });
    const front = await client.create(Service, {
      metadata: { ...self, labels },
      spec: { selector: theirs, ports: [{ port: 8080 }] },
    });
    await untilMade();
    const targetRef = { kind: 'Deployment', name: 'shop' };
    await client.create(Kurator, { metadata: self, spec: { targetRef, checks, pause: true } as never });
    await start();
    await untilDone();
    await change({ targetRef: null, service });
    const { status } = await untilDone();
    const ready = conditionOf(status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'NotOurs' });
    expect(ready?.message).toContain("has the selector app=theirs, and selectors can't be changed");
    expect(ready?.message).toContain('keep spec.targetRef');
    expect(ready?.message).not.toContain('kubectl label');
    expect(await ownersOf()).toEqual([]);
    expect((await client.get(Service, self)).spec).toEqual(front.spec);
    expect((await client.get(Deployment, self)).spec).toEqual(deployment.spec);
  });

  it('is neither changed nor looked after when it is the workload', async () => {
    const container = { name: 'main', image: 'theirs:1' };
    const made = await client.create(Deployment, {
      metadata: { ...self, labels: theirs },
      spec: {
        selector: { matchLabels: theirs },
        template: { metadata: { labels: theirs }, spec: { containers: [container] } },
      },
    });
    await make();
    await start();
    const { status } = await untilDone();
    expect(status?.health).toBe('Unknown');
    expect(conditionOf(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'NotOurs' });
    const left = await client.get(Deployment, self);
    expect([left.metadata.ownerReferences, left.metadata.labels, left.spec]).toEqual([undefined, theirs, made.spec]);
  });
});

describe('a dry run of the operator', () => {
  const dryRun = async () => {
    const { changes, reconciled, failures, events } = await healer().dryRun({ client, namespaces: namespace });
    expect([reconciled > 0, failures]).toEqual([true, []]);
    return { changes: changes.map(({ action, kind, key }) => `${action} ${kind} ${key}`), events };
  };

  it('says what would be made, changes nothing, and would delete nothing', async () => {
    await make({ ...service, config: { a: '1' } });
    const { changes } = await dryRun();
    expect(changes).toEqual([
      expect.stringMatching(`^create ConfigMap ${namespace}/shop-config-`),
      `create Deployment ${namespace}/shop`,
      `create Service ${namespace}/shop`,
    ]);
    expect(await client.find(Deployment, self)).toBeUndefined();

    await start();
    await untilMade();
    await untilDone();
    await running?.stop();
    expect((await dryRun()).changes).toEqual([]);
    await client.delete(Deployment, self);
    await waitUntilGone(client, Deployment, self);
    expect((await dryRun()).changes).toEqual([`create Deployment ${namespace}/shop`]);
  });

  it('says of what nothing would come', async () => {
    const labels = { app: 'theirs' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'theirs:1' }] } };
    await client.create(Deployment, { metadata: self, spec: { selector: { matchLabels: labels }, template } });
    await make();
    const { changes, events } = await dryRun();
    expect(changes).toEqual([]);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'NotOurs' }]);
  });
});

describe('a service that is made', () => {
  const constraints = async () =>
    (await client.get(Deployment, self)).spec?.template.spec?.topologySpreadConstraints?.map(
      ({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`,
    );

  it('is spread over nodes; one that runs already is not rolled for it', async () => {
    const plain = { spec: { topologySpreadConstraints: null } };
    await make({ ...service, podTemplate: plain });
    await start();
    const { metadata } = await untilMade();
    expect(await constraints()).toBeUndefined();
    await change({ service: { podTemplate: null } });
    await untilDone();
    const after = await client.get(Deployment, self);
    expect([await constraints(), after.metadata.generation]).toEqual([undefined, metadata.generation]);

    await client.delete(Deployment, self);
    await waitFor(client, Deployment, self, (made) => made.metadata.uid !== metadata.uid, { timeout: 30_000 });
    expect(await constraints()).toEqual(['kubernetes.io/hostname ScheduleAnyway']);
    await change({ service: { image: 'shop:2' } });
    await untilDone();
    expect(await constraints()).toEqual(['kubernetes.io/hostname ScheduleAnyway']);
  });
});
