/**
 * One instance that runs out of memory, and one that hangs while an Alertmanager listens: what is ill is found, and only that
 * is touched. Where all are, new ones come before the old ones go.
 */
import { AlertChannel } from '@kurator/operator-kurator';
import { Pod, Service } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Alertmanager, obtainAlertmanager } from '../operators/kurator/test/support/alertmanager.ts';
import { HealerWorld, restarts, uids } from './support/healer/healer-world.ts';
import { answering } from './support/healer/services.ts';
import { inPod, patiently } from './support/kubectl.ts';
import { startTraffic } from './support/traffic.ts';

let world: HealerWorld;
let alertmanager: Alertmanager | undefined;
let noAlertmanager = '';

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-instances');
  const obtained = obtainAlertmanager();
  if ('missing' in obtained) noAlertmanager = obtained.missing;
  else {
    alertmanager = await Alertmanager.start(obtained.program, world.host);
    await world.client.create(AlertChannel, {
      metadata: { name: 'alertmanager', namespace: 'default' },
      spec: { alertmanager: { url: alertmanager.url }, default: true },
    } as never);
  }
  await world.own('StatefulSet', 'grows', {}, { resources: { requests: { cpu: '50m' }, limits: { memory: '32Mi' } } });
  await world.adopt('StatefulSet', 'hangs');
  await world.adopt(
    'Deployment',
    'tired',
    { checks },
    { script: `mkdir -p /www && echo fit >/www/deep; ${answering}`, ...calm },
  );
  await Promise.all(['grows', 'hangs', 'tired'].map((name) => world.untilHealthy(name)));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await alertmanager?.[Symbol.asyncDispose]();
});

/** It asks for more than requests do, which are served whatever it says. */
const checks = [{ http: { path: '/deep' }, period: '1s', timeout: '1s', failAfter: 3 }];
const calm = { isProbed: true, grace: 15 };

/** The ill one is gone, another one is in its place, and the others were not touched. */
async function expectReplaced(name: string, ill: Pod, well: readonly Pod[]): Promise<void> {
  await world.untilHealthy(name);
  const after = await world.pods(name);
  expect(after).toHaveLength(well.length + 1);
  expect(uids(after)).not.toContain(ill.metadata.uid);
  expect(uids(after)).toEqual(expect.arrayContaining(uids(well)));
  expect(restarts(after)).toBe(0);
}

describe('one instance of three', () => {
  it.concurrent('that needs more memory than it may have is called so, and left to Kubernetes', async () => {
    const before = await world.pods('grows');
    const { ill } = await world.illAndWell('grows');
    await world.cluster.faults.burnMemory({ pod: ill, bytes: '64Mi' });
    const status = await world.untilStage('grows-1', 'closed');
    await world.untilHealthy('grows');
    const [seen] = status.evidence?.instances ?? [];
    expect(seen?.name).toBe(ill.metadata.name);
    // A kubelet that is in a hurry reads that a container ended before the runtime has said why.
    const isKnown = seen?.containers?.join().includes('OOMKilled');
    expect(status).toMatchObject({ cause: isKnown ? 'oom' : 'crash', actions: [] });
    const after = await world.pods('grows');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(1);
    await world.expectTold('grows', 'grows-1');
  });

  it.concurrent('that hangs is replaced, and no other', async () => {
    const { ill, well } = await world.illAndWell('hangs');
    await world.cluster.faults.freeze({ pod: ill });
    const status = await world.untilStage('hangs-1', 'closed');
    await expectReplaced('hangs', ill, well);
    expect(status).toMatchObject({
      cause: 'hang',
      actions: [{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }],
      evidence: { instances: [{ name: ill.metadata.name, node: ill.spec?.nodeName }] },
    });
    const stages = status.stages?.map(({ stage }) => stage);
    expect(stages).toEqual(['suspected', 'confirmed', 'repairing', 'verifying', 'recovered']);
    await world.expectTold('hangs', 'hangs-1');
    expect(await world.incidentsOf('hangs')).toEqual(['hangs-1']);
  });

  it.concurrent('is an alert in an Alertmanager for as long as it is ill', async ({ skip }) => {
    if (!alertmanager) return skip(noAlertmanager);
    const known = async () => (await alertmanager?.alerts())?.filter(({ labels }) => labels.service === 'hangs');
    await eventually(async () => {
      expect(await known()).toMatchObject([
        { labels: { alertname: 'KuratorIncident', incident: 'hangs-1' }, status: { state: 'active' } },
      ]);
    }, patiently);
    await world.untilStage('hangs-1', 'closed');
    await eventually(async () => expect(await known()).toEqual([]), patiently);
  });
});

describe('all three instances', () => {
  it('that serve and fail their check are restarted, new ones before the old ones go, and no request is lost', async () => {
    const { spec } = await world.client.create(Service, {
      metadata: { name: 'tired', namespace: 'default' },
      spec: { type: 'NodePort', selector: { app: 'tired' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    const target = { targetRef: { kind: 'Deployment', name: 'tired' }, checks };
    const old = await world.pods('tired');
    // One that fails before the others would be replaced alone.
    await world.kurator('tired', { ...target, pause: true });
    await eventually(async () => expect((await world.status('tired')).decision).toBeDefined(), patiently);
    for (const { metadata } of old) await inPod(world.cluster, metadata.name, 'rm', '/www/deep');
    await eventually(async () => {
      const { healthyInstances, decision } = await world.status('tired');
      expect({ healthyInstances, decision }).toEqual({
        healthyInstances: 0,
        decision: expect.stringContaining('paused'),
      });
    }, patiently);
    const hosts = (await world.cluster.status()).nodes.map(({ address }) => address);
    const port = spec?.ports?.[0]?.nodePort ?? 0;
    const traffic = startTraffic({ hosts, port, perSecond: 20, timeout: 10_000 });
    const isAnswered = () => expect(traffic.attempts.some(({ well }) => well)).toBe(true);
    await eventually(async () => isAnswered(), patiently);
    const from = Date.now();
    await world.kurator('tired', { ...target, pause: false });
    const status = await world.untilStage('tired-1', 'closed');
    expect(status).toMatchObject({
      cause: 'wrong-answers',
      actions: [{ step: 'restart', kind: 'roll', outcome: 'done' }],
    });
    await eventually(async () => {
      const { items } = await world.client.list(Pod, { namespace: 'default' });
      expect(uids(items).filter((uid) => uids(old).includes(uid))).toEqual([]);
    }, patiently);
    traffic.stop();
    expect(traffic.attempts.filter(({ well }) => !well)).toEqual([]);
    const staying = world.witness
      .stayingOf('tired')
      .filter(({ at }) => at >= from)
      .map(({ value }) => value);
    expect(Math.max(...staying)).toBe(4);
    expect(Math.min(...staying)).toBe(3);
    await world.expectTold('tired', 'tired-1');
  });
});

it('asks for nothing beyond its roles', async () => {
  await world.expectWithinRoles();
});
