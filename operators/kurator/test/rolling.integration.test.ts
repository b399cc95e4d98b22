/**
 * A restart of the whole service with Kubernetes' own controllers: new pods come before the old ones go, and what that
 * makes is no new version to anybody. There are no nodes, the test plays the kubelet.
 */
import { type Client, Deployment, installCrds, Pod, ReplicaSet, ResourceQuota } from '@kurator/sdk';
import { type Cluster, createCluster, eventually, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../src/brain/incident/incident.ts';
import { carryOut } from '../src/hands/carry-out.ts';
import { healer } from '../src/healer/healer.ts';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { KuratorSwitch } from '../src/resources/kurator-switch.ts';
import { restartAnnotation } from '../src/resources/revision.ts';
import { quickRecovery } from './support/healing/healer-world.ts';
import { report } from './support/healing/play-kubelet.ts';

let cluster: Cluster;
let client: Client;
let namespace: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: `rolling-${process.pid}`, controllers: true }));
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

beforeEach(async () => {
  namespace = await testNamespace(client, 'rolling');
});

const labels = { app: 'web' };
const template = (image: string) => ({
  metadata: { labels },
  // There is nothing to schedule them to: nobody is to say so.
  spec: { schedulerName: 'nobody', containers: [{ name: 'main', image }] },
});
const aWhile = { timeout: '40s' } as const;
const web = () => ({ name: 'web', namespace });
const surging = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const;

async function make(strategy: object = surging): Promise<void> {
  await client.create(Deployment, {
    metadata: web(),
    spec: { replicas: 3, selector: { matchLabels: labels }, strategy, template: template('web:1') },
  });
}

async function adopt(recovery: object = {}): Promise<void> {
  const targetRef = { kind: 'Deployment', name: 'web' };
  const spec = { targetRef, startupGrace: '0s', recovery: { ...quickRecovery, ...recovery } };
  await client.create(Kurator, { metadata: web(), spec: spec as never });
}

/** Says of every pod that nobody has spoken of yet how it is. */
async function playKubelet(isWell = true): Promise<Pod[]> {
  const { items } = await client.list(Pod, { namespace });
  for (const { metadata, status } of items) if (status?.phase !== 'Running') await report(client, metadata, isWell);
  return items.filter(({ metadata }) => !metadata.deletionTimestamp);
}

const kurator = () => client.get(Kurator, web());
const incident = (number = 1) => client.get(Incident, { name: `web-${number}`, namespace });
const uidsOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();
const restartOf = (deployment: Deployment) => deployment.spec?.template.metadata?.annotations?.[restartAnnotation];

async function untilHealthy(isWell = true): Promise<Kurator> {
  return await eventually(async () => {
    await playKubelet(isWell);
    const found = await kurator();
    expect(found.status?.health).toBe('Healthy');
    return found;
  }, aWhile);
}

/** Healthy for so long that it is known to be good. */
async function untilProven(): Promise<Kurator> {
  await eventually(async () => expect(await playKubelet()).toHaveLength(3), aWhile);
  return await eventually(async () => {
    const found = await untilHealthy();
    const { revision, memory } = found.status ?? {};
    const healthy = expect.arrayContaining([revision]) as unknown;
    expect(memory).toMatchObject({ history: { revisions: { healthy } } });
    return found;
  }, aWhile);
}

const untilSeen = () =>
  eventually(async () => {
    const { status, metadata } = await kurator();
    expect(status?.observedGeneration).toBe(metadata.generation);
  }, aWhile);

/** All at once, as far as the healer can see: one that falls ill before the others would be replaced alone. */
async function fallIll(): Promise<Pod[]> {
  await client.patch(Kurator, web(), { spec: { pause: true } });
  await untilSeen();
  const { items } = await client.list(Pod, { namespace });
  for (const { metadata } of items) await report(client, metadata, false);
  await eventually(async () => expect((await kurator()).status?.ready).toBe('0/3'), aWhile);
  await client.patch(Kurator, web(), { spec: { pause: false } });
  return items;
}

describe('a Deployment of which every pod crashes', () => {
  it('is restarted by a rolling update: nobody goes before somebody is ready in their place', {
    timeout: 120_000,
  }, async () => {
    await make();
    await adopt();
    const { status: before } = await untilProven();
    const old = uidsOf(await fallIll());
    // The first of the new ones is there, and nobody calls it ready yet.
    await eventually(async () => {
      const { items } = await client.list(Pod, { namespace });
      expect(uidsOf(items)).toEqual(expect.arrayContaining(old));
      expect(items).toHaveLength(4);
    }, aWhile);
    await eventually(async () => {
      const pods = await playKubelet();
      expect(pods.length).toBeGreaterThanOrEqual(3);
      expect(pods.filter(({ metadata }) => old.includes(metadata.uid))).toEqual([]);
    }, aWhile);
    const { status } = await untilHealthy();
    expect(status?.revision).toBe(before?.revision);
    await eventually(async () => expect((await incident()).status?.stage).toBe('closed'), aWhile);
    const record = (await incident()).status;
    expect(record).toMatchObject({
      cause: 'crash-loop',
      actions: [{ step: 'restart', kind: 'roll', outcome: 'done' }],
    });
    expect(record?.stages?.map(({ stage }) => stage)).not.toContain('yielded');
    const [action] = record?.actions ?? [];
    expect(restartOf(await client.get(Deployment, web()))).toBe(new Date(action?.at ?? '').toISOString());
    expect((await client.list(ReplicaSet, { namespace })).items).toHaveLength(2);
    // A second fault, after the restart: it is still the version that was proven, and nothing to roll back.
    await fallIll();
    await eventually(async () => expect((await incident(2)).status?.actions).toHaveLength(1), aWhile);
    expect((await incident(2)).status).toMatchObject({ cause: 'crash-loop', actions: [{ kind: 'roll' }] });
  });

  it('has its pods evicted in waves where its strategy makes no room for new ones first', {
    timeout: 120_000,
  }, async () => {
    await make({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } });
    await adopt();
    await untilProven();
    await fallIll();
    await eventually(async () => {
      await playKubelet();
      expect((await incident()).status?.stage).toBe('closed');
    }, aWhile);
    const { status } = await incident();
    expect(new Set(status?.actions?.map(({ kind }) => kind))).toEqual(new Set(['evict']));
    expect(restartOf(await client.get(Deployment, web()))).toBeUndefined();
  });

  it('keeps what it has where there is no room for one more: the step has failed, and a person is called', {
    timeout: 120_000,
  }, async () => {
    await make();
    await adopt({ steps: { restart: { deadline: '2s' } } });
    await untilProven();
    const hard = { pods: '3' };
    await client.create(ResourceQuota, { metadata: { name: 'full', namespace }, spec: { hard } });
    await eventually(async () => {
      const { status } = await client.get(ResourceQuota, { name: 'full', namespace });
      expect(status?.used).toEqual(hard);
    }, aWhile);
    const old = uidsOf(await fallIll());
    await eventually(async () => expect((await incident()).status?.stage).toBe('handedOver'), aWhile);
    expect((await incident()).status?.actions).toMatchObject([{ kind: 'roll', outcome: 'done' }]);
    expect(uidsOf(await playKubelet())).toEqual(old);
  });
});

describe('a person', () => {
  it('who restarts it has deployed nothing: what crashes after that is not rolled back', {
    timeout: 120_000,
  }, async () => {
    await make();
    await adopt();
    const { status: before } = await untilProven();
    const annotations = { [restartAnnotation]: '2026-01-01T00:00:00Z' };
    await client.patch(Deployment, web(), { spec: { template: { metadata: { annotations } } } });
    await eventually(async () => {
      const pods = await playKubelet(false);
      expect(pods.length).toBe(4);
      expect((await incident()).status?.cause).toBe('crash-loop');
    }, aWhile);
    const { status } = await kurator();
    expect(status?.revision).toBe(before?.revision);
    expect((await incident()).status?.actions ?? []).toEqual([]);
    expect(restartOf(await client.get(Deployment, web()))).toBe(annotations[restartAnnotation]);
  });

  it('who deploys in the middle of a rolling update is given way to', { timeout: 120_000 }, async () => {
    await make();
    await adopt({ yieldFor: '1h' });
    const { status: before } = await untilProven();
    await fallIll();
    await eventually(async () => expect(restartOf(await client.get(Deployment, web()))).toBeDefined(), aWhile);
    await client.patch(Deployment, web(), { spec: { template: template('web:2') } });
    await eventually(async () => {
      expect((await incident()).status?.stages?.map(({ stage }) => stage)).toContain('yielded');
    }, aWhile);
    const { status } = await untilHealthy();
    expect(status?.revision).not.toBe(before?.revision);
    expect((await incident()).status?.actions).toMatchObject([{ kind: 'roll' }]);
  });
});

describe('a service that Kurator has made', () => {
  it('stays restarted: what is described says nothing of when', { timeout: 120_000 }, async () => {
    const service = { image: 'web:1', port: 8080, replicas: 3, podTemplate: { spec: { schedulerName: 'nobody' } } };
    const spec = { service, startupGrace: '0s', recovery: quickRecovery, checks: [] };
    await client.create(Kurator, { metadata: web(), spec: spec as never });
    await untilProven();
    const old = uidsOf(await fallIll());
    await eventually(async () => {
      const pods = await playKubelet();
      expect(pods.filter(({ metadata }) => old.includes(metadata.uid))).toEqual([]);
    }, aWhile);
    await untilHealthy();
    const { metadata } = await client.get(Deployment, web());
    await client.patch(Kurator, web(), { spec: { pause: true } });
    await untilSeen();
    const after = await client.get(Deployment, web());
    expect(after.metadata.generation).toBe(metadata.generation);
    expect(restartOf(after)).toBeDefined();
  });
});

describe('a rolling update that is carried out again, after a crash', () => {
  it('rolls once', async () => {
    await make();
    const settled = () =>
      eventually(async () => {
        const found = await client.get(Deployment, web());
        expect(found.status?.observedGeneration).toBe(found.metadata.generation);
        return found;
      }, aWhile);
    const first = await settled();
    const action: Action = {
      id: 'web#1/1.1',
      kind: 'roll',
      targets: [],
      expect: { generation: first.metadata.generation ?? 0, revision: '' },
      reason: '',
      intendedAt: 1_800_000_000_000,
    };
    const does = async (workload: Deployment) => {
      const scene = { client, type: Deployment as never, workload, revisions: [], now: Date.now };
      return (await carryOut(action, scene)).result;
    };
    expect(await does(first)).toBe('done');
    const second = await settled();
    expect(restartOf(second)).toBe('2027-01-15T08:00:00.000Z');
    expect(await does(second)).toBe('done');
    // One who has not heard of it yet can't do it twice either.
    expect(await does(first)).toBe('superseded');
    expect((await client.get(Deployment, web())).metadata.generation).toBe(second.metadata.generation);
  });
});
