// The healer on the real API server, where nothing runs: the test plays kubelet, behind each pod there is a real server.
import { createServer } from 'node:http';
import { type Client, Deployment, Event, isConflict, Pod, PodDisruptionBudget, StatefulSet } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../src/brain/incident/incident.ts';
import { carryOut } from '../src/hands/carry-out.ts';
import type { ServiceRecord } from '../src/memory/service-record.ts';
import { writeStatus } from '../src/memory/write-status.ts';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import type { Alert } from '../src/voice/alerts/alert.ts';
import { HttpSink } from './support/alerting/http-sink.ts';
import { type HealerWorld, healerWorld, quickCheck } from './support/healing/healer-world.ts';
import type { StagedPod, StagedService } from './support/healing/stage-service.ts';

let round: HealerWorld;
let web: StagedService;

beforeEach(async () => {
  round = await healerWorld();
  web = await round.stage('web');
});
afterEach(async () => await round[Symbol.asyncDispose]());

const second = (): StagedPod => web.pods[1] as StagedPod;
const isGone = async ({ name }: StagedPod) =>
  await eventually(async () => expect(await web.podNames()).not.toContain(name), { timeout: '30s' });
const evictions = () =>
  round.requests.all.filter(({ subresource, outcome }) => subresource === 'eviction' && outcome === 'ok').length;
const recordOf = ({ status }: Kurator) => status?.memory as unknown as ServiceRecord | undefined;

describe('an adopted service', () => {
  it('is seen healthy, and nothing is written to it', async () => {
    await round.adopt('web');
    round.requests.clear();
    await round.start();
    const { status } = await round.untilHealth('web', 'Healthy');
    expect(status).toMatchObject({ ready: '3/3', healthyInstances: 3, desiredInstances: 3, availability: '100.000 %' });
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }, { type: 'DependenciesResolved' }]);
    expect(round.requests.summary().filter((line) => /Deployment|Pod/.test(line))).toEqual([]);
  });

  it('says what it looks for when there is no such workload, and finds it once it is there', async () => {
    await round.adopt('later');
    await round.start();
    const { status } = await round.untilHealth('later', 'Unknown');
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'TargetNotFound' }]);
    await round.stage('later', 1);
    await round.untilHealth('later', 'Healthy');
  });

  it('has the one instance replaced that does not answer, and the story is on record', async () => {
    await round.adopt('web');
    await round.start();
    await round.untilHealth('web', 'Healthy');
    const ill = second();
    ill.status = 0;
    await isGone(ill);
    expect(await web.podNames()).toHaveLength(2);
    await web.addPod();
    const { status } = await round.untilHealth('web', 'Healthy');
    expect(status).toMatchObject({ lastIncident: 'web-1', ready: '3/3' });
    const recorded = await round.untilStage('web-1', 'closed');
    expect(recorded.status).toMatchObject({
      cause: 'hang',
      actions: [{ step: 'replace', kind: 'evict', targets: [ill.name], outcome: 'done' }],
    });
    const stages = recorded.status?.stages?.map(({ stage }) => stage);
    expect(stages).toEqual(['suspected', 'confirmed', 'repairing', 'verifying', 'recovered']);
    expect(recorded.status?.evidence?.instances).toMatchObject([{ name: ill.name }]);
    expect(recorded.status?.evidence?.instances?.[0]?.checks?.[0]).toContain('response-timeout');
    expect(recorded.status?.told?.map(({ whom }) => whom)).toContain('channel events');
    expect(evictions()).toBe(1);
    const { items } = await round.client.list(Event, { namespace: round.namespace });
    expect(items.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Repairing', 'Recovered']));
    const notes = items.filter(({ reason }) => reason === 'Repairing').map(({ message }) => message);
    expect(notes).toEqual([expect.stringContaining('\nOthers: control plane: answers, nodes: ')]);
    const changes = round.logged.filter(({ message }) => message === 'an incident changes its stage');
    expect(changes).toMatchObject(stages?.map((stage) => ({ stage, incident: `${round.namespace}/web#1` })) ?? []);
    expect(changes.slice(1).map(({ fault }) => fault)).toEqual(['hang', 'hang', 'hang', 'hang']);
  });

  it('has done what was written down before a crash, once, by the operator that comes after', async () => {
    await round.adopt('web');
    const dying = round.client;
    const stuck: Client = {
      ...dying,
      create: ((type, object, options) =>
        options?.subresource === 'eviction'
          ? new Promise(() => {})
          : dying.create(type, object, options)) as Client['create'],
    };
    const first = await round.start(stuck);
    await round.untilHealth('web', 'Healthy');
    second().status = 500;
    const isDecided = (kurator: Kurator) => recordOf(kurator)?.history.incident?.stage === 'repairing';
    await eventually(async () => expect(isDecided(await round.kurator('web'))).toBe(true), { timeout: '30s' });
    // It is killed here: nothing of it may act any more, whatever it still believes.
    const dead = first.stop().catch(() => {});
    expect(await web.podNames()).toContain(second().name);
    await round.start();
    await isGone(second());
    await web.addPod();
    const recorded = await round.untilStage('web-1', 'closed');
    expect(recorded.status?.actions).toMatchObject([{ targets: [second().name], outcome: 'done' }]);
    expect(evictions()).toBe(1);
    await dead;
  });

  it.each([
    ['is paused', { pause: true }, 'Paused', 'confirmed'],
    ['is only to say what it would do', { dryRun: true }, 'Degraded', 'proposed'],
  ])('is left alone while it %s, and the fault is on record', async (_, spec, health, stage) => {
    await round.adopt('web', spec);
    await round.start();
    await eventually(async () => expect((await round.kurator('web')).status?.ready).toBe('3/3'), { timeout: '20s' });
    second().status = 500;
    const recorded = await round.untilStage('web-1', stage);
    expect(recorded.status).toMatchObject({ cause: 'wrong-answers', actions: [] });
    expect((await round.kurator('web')).status?.health).toBe(health);
    expect(await web.podNames()).toContain(second().name);
    expect(evictions()).toBe(0);
    if ('pause' in spec) {
      await round.client.patch(Kurator, { name: 'web', namespace: round.namespace }, { spec: { pause: false } });
      await isGone(second());
    }
  });

  it('waits for a person where one must agree, and goes on when he has', async () => {
    await round.adopt('web', { recovery: { steps: { replace: { approval: true } } } });
    await round.start();
    await round.untilHealth('web', 'Healthy');
    second().status = 500;
    const { status } = await round.untilStage('web-1', 'proposed');
    expect(await web.podNames()).toContain(second().name);
    const spec = { approve: status?.proposal?.id, approvedBy: 'alice' };
    await round.client.patch(Incident, { name: 'web-1', namespace: round.namespace }, { spec });
    await isGone(second());
    expect((await round.incident('web-1')).status?.actions).toMatchObject([{ step: 'replace', approvedBy: 'alice' }]);
  });

  it('is left to a person who deploys in the middle of a repair', async () => {
    await round.adopt('web', { recovery: { steps: { replace: { approval: true } } } });
    await round.start();
    await round.untilHealth('web', 'Healthy');
    second().status = 500;
    await round.untilStage('web-1', 'proposed');
    await web.deploy('web:2', 'alice');
    // On record for good; the stage itself lasts no longer than a person is given.
    const stages = async () => (await round.incident('web-1')).status?.stages;
    const yielded = { stage: 'yielded', reason: 'alice has changed the workload' };
    await eventually(async () => expect(await stages()).toContainEqual(expect.objectContaining(yielded)), {
      timeout: '20s',
    });
    expect(evictions()).toBe(0);
  });

  const allow = (disruptionsAllowed: number) => {
    const budget = { name: 'web', namespace: round.namespace };
    const counts = { currentHealthy: 2, desiredHealthy: 3, expectedPods: 3, observedGeneration: 1 };
    const status = { disruptionsAllowed, ...counts };
    return round.client.patch(PodDisruptionBudget, budget, { status }, { subresource: 'status' });
  };
  const protect = async (disruptionsAllowed: number) => {
    await round.client.create(PodDisruptionBudget, {
      metadata: { name: 'web', namespace: round.namespace },
      spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } },
    });
    await allow(disruptionsAllowed);
  };

  it('has on record whom a PodDisruptionBudget did not let go, where it let another go', async () => {
    const { client, namespace } = round;
    await protect(1);
    const workload = await client.get(Deployment, { name: 'web', namespace });
    const { items } = await client.list(Pod, { namespace });
    const targets = items.slice(0, 2).map(({ metadata }) => ({ name: metadata.name, uid: metadata.uid ?? '' }));
    const expected = { generation: workload.metadata.generation ?? 0, revision: '' };
    const action: Action = { id: 'x', kind: 'evict', targets, expect: expected, reason: '', intendedAt: 0 };
    const scene = { client, type: Deployment as never, workload, revisions: [], now: Date.now };
    expect(await carryOut(action, scene)).toMatchObject({
      result: 'done',
      spared: [targets[1]?.uid],
      message: expect.stringContaining(`${targets[1]?.name}: `),
    });
    expect(await web.podNames()).not.toContain(targets[0]?.name);
  });

  it('is rolled back though a PodDisruptionBudget lets nobody go for it: that is on record, and their turn comes later', async () => {
    const { client, namespace } = round;
    await protect(0);
    const workload = await client.get(Deployment, { name: 'web', namespace });
    const spec = workload.spec?.template.spec;
    const template = { ...workload.spec?.template, spec: { containers: [{ name: 'main', image: 'web:0' }] } };
    const targets = [{ name: second().name, uid: second().uid }];
    const expected = { generation: workload.metadata.generation ?? 0, revision: 'now' };
    const action: Action = {
      id: 'x',
      kind: 'rollback',
      revision: 'before',
      targets,
      expect: expected,
      reason: '',
      intendedAt: 0,
    };
    const revisions = [{ id: 'before', version: 'before', number: 1, template }];
    const scene = { client, type: Deployment as never, workload, revisions, now: Date.now };
    const message = expect.stringContaining(`${second().name}: `);
    expect(await carryOut(action, scene)).toMatchObject({ result: 'done', spared: [second().uid], message });
    const now = (await client.get(Deployment, { name: 'web', namespace })).spec?.template.spec;
    expect([spec, now].map((one) => one?.containers[0]?.image)).toEqual(['web:1', 'web:0']);
    expect(await web.podNames()).toContain(second().name);
  });

  it('loses no try to a PodDisruptionBudget that refuses, and goes on when it allows it', async () => {
    await protect(0);
    await round.adopt('web', { checks: [], recovery: { steps: { replace: { tries: 1 } } } });
    await round.start();
    await round.untilHealth('web', 'Healthy');
    // One that is not ready is no disruption by what is seen, and the server refuses it all the same.
    await web.report(second(), 'crashed');
    const actions = async () => (await round.incident('web-1')).status?.actions;
    await eventually(async () => expect(await actions()).toMatchObject([{ outcome: 'refused' }]), { timeout: '30s' });
    expect(await web.podNames()).toContain(second().name);
    expect(recordOf(await round.kurator('web'))?.history.repairs).toEqual([]);
    await allow(1);
    await isGone(second());
    await eventually(async () => expect((await actions())?.at(-1)).toMatchObject({ step: 'replace', outcome: 'done' }));
  });

  it('goes back to the revision that was well when a new one crashes again and again', async () => {
    await round.adopt('web', { recovery: { maxUnavailable: 3 } });
    await round.start();
    await round.untilHealth('web', 'Healthy');
    const proven = async () => recordOf(await round.kurator('web'))?.history.revisions.healthy;
    await eventually(async () => expect(await proven()).toEqual(['hash1']), { timeout: '20s' });
    await web.deploy('web:broken', 'alice');
    for (const { name } of [...web.pods]) await round.client.delete(Pod, { name, namespace: round.namespace });
    for (let count = 0; count < 3; count++) await web.addPod({ crashing: true });
    const deployment = { name: 'web', namespace: round.namespace };
    const image = async () =>
      (await round.client.get(Deployment, deployment)).spec?.template.spec?.containers[0]?.image;
    await eventually(async () => expect(await image()).toBe('web:1'), { timeout: '30s' });
    const { status } = await round.incident('web-1');
    expect(status).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', kind: 'rollback' }] });
  });
});

describe('a check with a typo', () => {
  const expecting = (bodyContains: string) => [{ ...quickCheck, name: 'health', http: { port: 'main', bodyContains } }];
  const edit = async (bodyContains: string) => {
    const checks = expecting(bodyContains);
    await round.client.patch(Kurator, { name: 'web', namespace: round.namespace }, { spec: { checks } });
  };

  it('evicts nobody: a person is told what to look at, before and after a restart of the operator', async () => {
    await round.adopt('web', { checks: expecting('wel!') });
    const first = await round.start();
    const { status } = await round.untilStage('web-1', 'handedOver');
    expect(status).toMatchObject({ cause: 'unproven-check', actions: [] });
    const told = async () => (await round.client.list(Event, { namespace: round.namespace })).items;
    await eventually(async () => {
      expect((await told()).map(({ message }) => message).join('\n')).toContain(
        'it has never passed since it is defined so',
      );
    });
    const { status: shown } = await round.kurator('web');
    expect(shown?.health).toBe('HandedOver');
    const unproven = { type: 'ChecksProven', status: 'False', reason: 'NeverPassed' };
    expect(shown?.conditions).toContainEqual(expect.objectContaining(unproven));
    await first.stop();
    await round.start();
    await edit('well');
    await round.untilHealth('web', 'Healthy');
    await round.untilStage('web-1', 'closed');
    await edit('wel!');
    await round.untilStage('web-2', 'handedOver');
    expect(evictions()).toBe(0);
    expect(await web.podNames()).toHaveLength(3);
  });

  it('is proven by one pass, for an operator that comes after it in the middle of a fault too', async () => {
    await round.adopt('web', { checks: expecting('well'), recovery: { maxUnavailable: 3 } });
    const first = await round.start();
    await round.untilHealth('web', 'Healthy');
    await first.stop();
    web.body = 'ill';
    await round.start();
    await eventually(async () => expect(evictions()).toBeGreaterThan(0), { timeout: '30s' });
    expect((await round.incident('web-1')).status?.cause).toBe('wrong-answers');
  });
});

describe('a stateful pod on a node that is not heard of', () => {
  const evictedBy = async (more: Partial<Action>, isEnding = false): Promise<Pod | undefined> => {
    const { client, namespace } = round;
    const labels = { app: 'db' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'db' }] } };
    const spec = { replicas: 1, serviceName: 'db', selector: { matchLabels: labels }, template };
    const workload = await client.create(StatefulSet, { metadata: { name: 'db', namespace }, spec });
    const { generation = 0 } = workload.metadata;
    // No kubelet ever says that it has ended.
    const pod = await client.create(Pod, {
      metadata: { name: 'db-0', namespace },
      spec: { ...template.spec, nodeName: 'lost' },
    });
    await client.patch(Pod, pod.metadata, { status: { phase: 'Running' } }, { subresource: 'status' });
    if (isEnding) await client.delete(Pod, pod.metadata);
    const targets = [{ name: 'db-0', uid: pod.metadata.uid ?? '' }];
    const expected = { generation, revision: '' };
    const action: Action = { id: 'x', kind: 'evict', targets, expect: expected, reason: '', intendedAt: 0, ...more };
    const scene = { client, type: StatefulSet as never, workload, revisions: [], now: Date.now };
    expect(await carryOut(action, scene)).toMatchObject({ result: 'done' });
    return await client.find(Pod, pod.metadata);
  };

  it('stays Terminating after a plain eviction, so that it never runs twice', async () => {
    expect((await evictedBy({}))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('is gone at once where a person has said that it may: the StatefulSet can make it anew', async () => {
    expect(await evictedBy({ isForced: true })).toBeUndefined();
  });

  it('is gone at once also where Kubernetes has told it to end before', async () => {
    expect(await evictedBy({ isForced: true }, true)).toBeUndefined();
  });
});

describe('a service of which one request in three fails', () => {
  const everyThird = () => {
    let count = 0;
    return createServer((_request, response) => response.writeHead(++count % 3 === 0 ? 500 : 200).end('well'));
  };

  it('has a person called where all pods do, and nobody is evicted', { timeout: 150_000 }, async () => {
    await round.stage('shared', 2, { serve: everyThird });
    await round.adopt('shared');
    await round.start();
    const { status } = await eventually(
      async () => {
        const found = await round.incident('shared-1');
        expect(found.status?.stage).toBe('handedOver');
        return found;
      },
      { timeout: '140s' },
    );
    expect(status).toMatchObject({ cause: 'intermittent', actions: [] });
    expect(evictions()).toBe(0);
  });
});

describe('the record', () => {
  it('keeps as many closed incidents as are wanted, the newest', async () => {
    await round.adopt('web', { incidentsKept: 1, recovery: { stability: '1s' } });
    await round.start();
    for (const number of [1, 2]) {
      await round.untilHealth('web', 'Healthy');
      const ill = web.pods.at(-1) as StagedPod;
      ill.status = 500;
      await isGone(ill);
      await web.addPod();
      await round.untilStage(`web-${number}`, 'closed');
    }
    await eventually(async () => {
      const { items } = await round.client.list(Incident, { namespace: round.namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['web-2']);
    });
  });

  it('tells a channel that the service names, in place of Events, and how all others do', async () => {
    await using sink = await HttpSink.open();
    await round.client.create(AlertChannel, {
      metadata: { name: 'hook', namespace: round.namespace },
      spec: { webhook: { url: sink.url } } as never,
    });
    const database = await round.stage('database', 1);
    await round.adopt('database', { pause: true });
    await round.stage('shop', 1);
    await round.adopt('shop');
    await round.adopt('web', { alerts: { groupWait: '0s', channels: ['hook'] } });
    await round.start();
    for (const name of ['shop', 'web']) await round.untilHealth(name, 'Healthy');
    await eventually(async () => expect((await round.kurator('database')).status?.ready).toBe('1/1'), {
      timeout: '20s',
    });
    for (const pod of database.pods) pod.status = 500;
    await round.untilStage('database-1', 'confirmed');
    second().status = 500;
    await isGone(second());
    await web.addPod();
    const { status } = await round.untilStage('web-1', 'closed');
    expect([...new Set(status?.told?.map(({ whom }) => whom))]).toEqual(['channel hook']);
    await eventually(() => expect(sink.taken.length).toBe(status?.told?.length));
    const { service, others } = JSON.parse(sink.taken.at(-1)?.body ?? '') as Alert;
    expect({ service, others }).toEqual({
      service: 'web',
      others: [
        { name: 'control plane', state: 'answers' },
        { name: 'nodes', state: expect.stringMatching(/^(\d+ of \d+ ready|none known)$/) },
        { name: `${round.namespace}/database`, state: 'down' },
        { name: `${round.namespace}/shop`, state: 'healthy' },
      ],
    });
  });

  it('is there for Prometheus', async () => {
    await round.adopt('web');
    const { manager } = await round.start();
    await round.untilHealth('web', 'Healthy');
    const { body } = await manager.metrics.text();
    expect(body).toContain(`kurator_service_health{namespace="${round.namespace}",service="web",health="Healthy"} 1`);
    expect(body).toMatch(/kurator_check_results_total\{outcome="healthy"\} \d+/);
    expect(body).toMatch(/kurator_heartbeat_timestamp_seconds \d+/);
  });
});

describe('what can not be looked after', () => {
  it('is a workload that another Kurator looks after already', async () => {
    await round.adopt('web');
    await round.client.create(Kurator, {
      metadata: { name: 'zweb', namespace: round.namespace },
      spec: { targetRef: { kind: 'Deployment', name: 'web' }, checks: [] } as never,
    });
    await round.start();
    const { status } = await round.untilHealth('zweb', 'Unknown');
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'TargetTaken' }]);
    expect(status?.conditions?.[0]?.message).toContain('looked after by Kurator web');
    await round.untilHealth('web', 'Healthy');
  });

  it('is one whose maintenance is at no time that there is', async () => {
    await round.adopt('web', { maintenance: [{ cron: '61 * * * *', duration: '1h' }] });
    await round.start();
    const { status } = await round.untilHealth('web', 'Unknown');
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'InvalidSpec' }]);
    expect(status?.conditions?.[0]?.message).toContain('spec.maintenance[0].cron');
  });
});

describe('a status', () => {
  it('is not written by one who has not seen the newest', async () => {
    const stale = await round.adopt('web');
    await round.client.patch(Kurator, stale.metadata, { spec: { pause: true } });
    const signal = AbortSignal.timeout(10_000);
    const tools = { client: round.client, type: Kurator, fieldManager: 'test', signal, now: Date.now() };
    const writing = writeStatus(stale, { fields: { health: 'Healthy' } }, tools);
    await expect(writing).rejects.toSatisfy(isConflict);
    expect((await round.kurator('web')).status?.health).toBeUndefined();
  });
});
