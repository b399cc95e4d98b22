/** One instance that runs out of memory, and one that hangs while an Alertmanager listens: what is ill is found, and only that is touched. */
import { AlertChannel } from '@kurator/operator-kurator';
import type { Pod } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Alertmanager, obtainAlertmanager } from '../operators/kurator/test/support/alertmanager.ts';
import { HealerWorld, restarts, uids } from './support/healer/healer-world.ts';
import { eventually } from './support/kubectl.ts';

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
  await Promise.all(['grows', 'hangs'].map((name) => world.untilHealthy(name)));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await alertmanager?.[Symbol.asyncDispose]();
});

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
    });
    await world.untilStage('hangs-1', 'closed');
    await eventually(async () => expect(await known()).toEqual([]));
  });
});

it('asks for nothing beyond its roles', async () => {
  await world.expectWithinRoles();
});
