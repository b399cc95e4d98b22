/**
 * Story 9, first part: the healer is killed at each stage of each repair. Each ends as it would have; nothing is done twice,
 * no stage is lost.
 */
import { Incident } from '@kurator/operator-kurator';
import { type Pod, Pod as PodType, StatefulSet } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvictionGate } from '../support/healer/eviction-gate.ts';
import { HealerWorld, hung } from '../support/healer/healer-world.ts';
import { HookServer } from '../support/healer/hook-server.ts';
import { depose } from '../support/healer/leader.ts';
import { answering, workload } from '../support/healer/services.ts';
import { patiently } from '../support/kubectl.ts';

describe('the healer, killed', () => {
  let world: HealerWorld;
  /** Of the only one that depends on anybody: it says nothing until it is let. */
  let hook: HookServer;
  /** Those that something is done to. */
  const ill: Pod[] = [];

  /** An instance that takes its time to come up leaves time to verify. */
  const slowly = `sleep 6; ${answering}`;

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-9-killed', 2, { entry: 'e2e/support/healer/quick-lease.ts' });
    hook = await HookServer.open(world.host);
    hook.answer = undefined;
    const approval = { replace: { approval: true }, rollback: { approval: true } };
    const recovery = { steps: approval, stability: '15s' };
    const coordination = { deadline: '5m' };
    await world.adopt('Deployment', 'database', { recovery, coordination }, { script: slowly });
    await world.adopt('StatefulSet', 'ledger', { recovery, coordination }, { script: slowly, isProbed: true });
    const dependsOn = ['database', 'ledger'];
    await world.adopt('Deployment', 'cart', { dependsOn, coordination: { hook: { url: hook.url, timeout: '2s' } } });
    await Promise.all(['cart', ...dependsOn].map((name) => world.untilHealthy(name)));
    await world.untilProven('ledger');
    await world.remember();
  });

  afterAll(async () => {
    await hook?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** Kills whoever leads while a repair is at this stage: once for each, or for all that are there together. */
  async function killAt(stage: string, ...incidents: string[]): Promise<void> {
    let left = incidents;
    while (left.length > 0) {
      const there = await eventually(
        async () => {
          const found = left.filter((name) => world.witness.stagesOf(name).at(-1)?.value === stage);
          expect(found, `${left} at ${stage}`).not.toEqual([]);
          return found;
        },
        { ...patiently, timeout: 200_000 },
      );
      await depose(world, `killed at ${stage} of ${there.join(' and ')}`, kill);
      left = left.filter((name) => !there.includes(name));
    }
  }

  /** Its pod makes room for a fresh one: the kubelet starts one that was killed this often ever more slowly. */
  async function kill(pod: Pod): Promise<void> {
    await world.cluster.faults.kill({ pod });
    await world.client.delete(PodType, pod.metadata, { gracePeriodSeconds: 0 });
  }

  async function approve(incident: string): Promise<void> {
    const { proposal } = await world.untilStage(incident, 'proposed');
    await world.client.patch(
      Incident,
      { name: incident, namespace: 'default' },
      { spec: { approve: proposal?.id ?? '' } },
    );
  }

  it('killed at each stage of each repair, it comes to the same end and does nothing twice', async () => {
    await using gate = await EvictionGate.close(world.client, world.host);
    const [broken] = (await world.pods('ledger')).slice(-1);
    const { ill: frozen } = await world.illAndWell('database');
    ill.push(frozen);
    await world.cluster.faults.freeze({ pod: frozen });
    await killAt('suspected', 'database-1');
    const { template } = workload('ledger', { script: 'exit 1', isProbed: true }).spec;
    await world.client.patch(StatefulSet, { name: 'ledger', namespace: 'default' }, { spec: { template } });
    await killAt('proposed', 'database-1', 'ledger-1');
    await Promise.all(['database-1', 'ledger-1'].map(approve));
    await eventually(
      async () => {
        const asked = hook.asked.filter(({ phase }) => phase === 'before').map(({ incident }) => incident);
        expect(asked).toEqual(expect.arrayContaining(['default/database#1', 'default/ledger#1']));
      },
      { ...patiently, timeout: 200_000 },
    );
    await killAt('tellingDependants', 'database-1', 'ledger-1');
    hook.answer = 200;
    // Asked for, and not answered: nobody knows whether it was done.
    await eventually(
      async () => {
        expect(gate.asked).toEqual(expect.arrayContaining([frozen.metadata.name, broken?.metadata.name]));
      },
      { ...patiently, timeout: 200_000 },
    );
    await killAt('repairing', 'database-1', 'ledger-1');
    gate.open();
    await killAt('verifying', 'database-1', 'ledger-1');
    await killAt('recovered', 'database-1', 'ledger-1');
    const [replaced, rolledBack] = await Promise.all(
      ['database-1', 'ledger-1'].map((name) => world.untilStage(name, 'closed')),
    );
    const targets = [frozen.metadata.name];
    expect(replaced).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets, outcome: 'done' }] });
    expect(rolledBack).toMatchObject({ cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] });
    const path = ['suspected', 'confirmed', 'proposed', 'tellingDependants', 'repairing', 'verifying', 'recovered'];
    expect(replaced?.stages?.map(({ stage }) => stage)).toEqual(path);
    expect(rolledBack?.stages?.map(({ stage }) => stage)).toEqual(path);
    expect(await world.evictionsOf(frozen)).toHaveLength(1);
    // Whose eviction was broken off, the StatefulSet itself may have taken away meanwhile.
    expect(broken && (await world.evictionsOf(broken)).length).toBeLessThanOrEqual(1);
    expect(await world.changesOf('statefulsets', 'ledger')).toHaveLength(1);
    await expectNoStageUntold('database');
    await expectNoStageUntold('ledger');
  }, 900_000);

  /** People have heard of every stage: killed between telling and noting it, it may have told them again, but only once. */
  async function expectNoStageUntold(service: string): Promise<void> {
    const { stages = [] } = await world.untilStage(`${service}-1`, 'closed');
    await eventually(async () => {
      const lines = world.alertsOf(service).flatMap((alert) => alert.lines);
      for (const { reason } of stages) {
        const told = lines.filter((line) => line.endsWith(`: ${reason}`)).length;
        expect(told, `${reason} in ${JSON.stringify(lines, undefined, 1)}`).toBeGreaterThan(0);
      }
    }, patiently);
    const ids = world.alertsOf(service).map(({ id }) => id);
    for (const id of new Set(ids)) expect(ids.filter((one) => one === id).length, id).toBeLessThanOrEqual(2);
  }

  it('leaves everything as it should be', async () => {
    await world.expectHeld({ touched: ill, changed: ['kurator', 'ledger'] });
  });
});
