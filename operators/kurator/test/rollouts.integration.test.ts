/**
 * What is a rollout and what is none, with Kubernetes' own controllers: there are no nodes, the test plays the kubelet. A
 * workload that has come to rest half way, because only a person moves it on, is healed like any other.
 */
import { type Client, Deployment, installCrds, Pod, ResourceQuota, StatefulSet } from '@kurator/sdk';
import { type Cluster, createCluster, eventually, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { healer } from '../src/healer/healer.ts';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { KuratorSwitch } from '../src/resources/kurator-switch.ts';
import { quickRecovery } from './support/healing/healer-world.ts';
import { report } from './support/healing/play-kubelet.ts';

let cluster: Cluster;
let client: Client;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: `rollouts-${process.pid}`, controllers: true }));
  client = await cluster.client();
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
  const options = { client, http: false, log: 'silent', installCrds: 'never', gracePeriod: '6s' } as const;
  const running = await healer({ threads: 0 }).start(options);
  stop = async () => await running.stop();
}, 120_000);

afterAll(async () => {
  await stop?.();
  await client?.close();
  await cluster?.down();
});

const labels = { app: 'db' };
/** There is nothing to schedule them to: nobody is to say so. */
const schedulerName = 'nobody';
const template = (image: string, pod: object = { schedulerName }) => ({
  metadata: { labels },
  spec: { ...pod, containers: [{ name: 'main', image }] },
});
const aWhile = { timeout: '40s' } as const;

/** Has every pod called ready that is not named as ill. */
async function playKubelet(namespace: string, ill?: string): Promise<Pod[]> {
  const { items } = await client.list(Pod, { namespace });
  for (const { metadata, status } of items) {
    if (metadata.uid === ill || status?.phase === 'Running') continue;
    await report(client, metadata, true);
  }
  return items;
}

async function adopt(namespace: string, kind: 'Deployment' | 'StatefulSet', recovery: object = {}): Promise<void> {
  const spec = {
    targetRef: { kind, name: 'db' },
    startupGrace: '0s',
    recovery: { ...quickRecovery, ...recovery },
  };
  await client.create(Kurator, { metadata: { name: 'db', namespace }, spec: spec as never });
}

async function untilHealthy(namespace: string): Promise<void> {
  await eventually(async () => {
    await playKubelet(namespace);
    expect((await client.get(Kurator, { name: 'db', namespace })).status?.health).toBe('Healthy');
  }, aWhile);
}

describe('a StatefulSet with a new template', () => {
  it.each([
    ['that is replaced on delete only', { type: 'OnDelete' as const }, 0],
    ['of which a partition keeps two back', { type: 'RollingUpdate' as const, rollingUpdate: { partition: 2 } }, 1],
  ])('%s has its crashing pod replaced', { timeout: 120_000 }, async (_, updateStrategy, updated) => {
    const namespace = await testNamespace(client, 'rollouts');
    const reference = { name: 'db', namespace };
    await client.create(StatefulSet, {
      metadata: reference,
      spec: {
        replicas: 3,
        serviceName: 'db',
        selector: { matchLabels: labels },
        podManagementPolicy: 'Parallel',
        updateStrategy,
        template: template('db:1'),
      },
    });
    await adopt(namespace, 'StatefulSet');
    await eventually(async () => expect(await playKubelet(namespace)).toHaveLength(3), aWhile);
    await untilHealthy(namespace);
    await client.patch(StatefulSet, reference, { spec: { template: template('db:2') } });
    await eventually(async () => {
      await playKubelet(namespace);
      const { status, metadata } = await client.get(StatefulSet, reference);
      expect(status?.observedGeneration).toBe(metadata.generation);
      expect(status?.updateRevision).not.toBe(status?.currentRevision);
      expect(status?.updatedReplicas ?? 0).toBe(updated);
      expect(status?.readyReplicas).toBe(3);
    }, aWhile);
    const ill = await client.get(Pod, { name: 'db-0', namespace });
    await report(client, ill.metadata, false);
    await eventually(async () => {
      const pods = await playKubelet(namespace, ill.metadata.uid);
      expect(pods.map(({ metadata }) => metadata.uid)).not.toContain(ill.metadata.uid);
    }, aWhile);
    await untilHealthy(namespace);
    const { status } = await client.get(Incident, { name: 'db-1', namespace });
    expect(status).toMatchObject({ cause: 'crash-loop', actions: [{ step: 'replace', targets: ['db-0'] }] });
  });
});

describe('a Deployment that is paused half way', () => {
  it('is no rollout: it is seen to be well, and what crashes is left to whoever paused it', {
    timeout: 120_000,
  }, async () => {
    const namespace = await testNamespace(client, 'rollouts');
    const reference = { name: 'db', namespace };
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await client.create(Deployment, {
      metadata: reference,
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        strategy: { type: 'RollingUpdate', rollingUpdate },
        template: template('db:1'),
      },
    });
    await adopt(namespace, 'Deployment');
    await eventually(async () => expect(await playKubelet(namespace)).toHaveLength(3), aWhile);
    await untilHealthy(namespace);
    await client.patch(Deployment, reference, { spec: { template: template('db:2') } });
    // The first new pod is made beside the old ones; nobody calls it ready until the rollout is paused.
    await eventually(async () => {
      expect((await client.get(Deployment, reference)).status).toMatchObject({ replicas: 4, updatedReplicas: 1 });
    }, aWhile);
    await client.patch(Deployment, reference, { spec: { paused: true } });
    await eventually(async () => {
      const { status, metadata } = await client.get(Deployment, reference);
      expect(status?.observedGeneration).toBe(metadata.generation);
    }, aWhile);
    await untilHealthy(namespace);
    const [ill] = await playKubelet(namespace);
    await report(client, ill?.metadata as Pod['metadata'], false);
    await eventually(async () => {
      const { status } = await client.get(Kurator, reference);
      expect(status?.decision).toContain('somebody has paused the workload');
    }, aWhile);
    expect(await playKubelet(namespace, ill?.metadata.uid)).toHaveLength(4);
  });
});

describe('a Deployment that no node has room for', () => {
  it('is told with the reason of the scheduler, and nothing is restarted', { timeout: 120_000 }, async () => {
    const namespace = await testNamespace(client, 'rollouts');
    const reference = { name: 'db', namespace };
    await client.create(Deployment, {
      metadata: reference,
      spec: { replicas: 1, selector: { matchLabels: labels }, template: template('db:1', {}) },
    });
    await adopt(namespace, 'Deployment', { steps: { kubernetes: { deadline: '1s', tries: 1 } } });
    const { status } = await eventually(
      async () => {
        const found = await client.get(Incident, { name: 'db-1', namespace });
        expect(found.status?.stage).toBe('handedOver');
        return found;
      },
      { timeout: '60s' },
    );
    expect(status).toMatchObject({ cause: 'unschedulable', actions: [] });
    expect(status?.stages?.map(({ reason }) => reason).join('\n')).toContain('no nodes available to schedule pods');
  });
});

describe('a Deployment whose pods can’t be made', () => {
  it('is told with the reason of its controller, and nothing is done', { timeout: 120_000 }, async () => {
    const namespace = await testNamespace(client, 'rollouts');
    const reference = { name: 'db', namespace };
    await client.create(Deployment, {
      metadata: reference,
      spec: { replicas: 2, selector: { matchLabels: labels }, template: template('db:1') },
    });
    await adopt(namespace, 'Deployment', { steps: { kubernetes: { deadline: '1s', tries: 1 } } });
    await eventually(async () => expect(await playKubelet(namespace)).toHaveLength(2), aWhile);
    await untilHealthy(namespace);
    await client.create(ResourceQuota, { metadata: { name: 'few', namespace }, spec: { hard: { pods: '1' } } });
    await eventually(async () => {
      const { status } = await client.get(ResourceQuota, { name: 'few', namespace });
      expect(status?.used).toMatchObject({ pods: '2' });
    }, aWhile);
    const [first] = await playKubelet(namespace);
    await client.delete(Pod, first?.metadata as Pod['metadata'], { gracePeriodSeconds: 0 });
    const { status } = await eventually(
      async () => {
        const found = await client.get(Incident, { name: 'db-1', namespace });
        expect(found.status?.stage).toBe('handedOver');
        return found;
      },
      { timeout: '90s' },
    );
    expect(status).toMatchObject({ cause: 'missing-pods', actions: [] });
    expect(status?.stages?.map(({ reason }) => reason).join('\n')).toMatch(
      /1 of 2 pods does not exist: .*exceeded quota/,
    );
  });
});
