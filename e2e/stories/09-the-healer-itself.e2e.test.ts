/** Story 9: what happens to the healer itself. Each repair ends as it would have; nothing is done twice, no stage is lost. */
import { Incident } from '@kurator/operator-kurator';
import { type Pod, Pod as PodType, StatefulSet } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvictionGate } from '../support/healer/eviction-gate.ts';
import { HealerWorld, hung, uids } from '../support/healer/healer-world.ts';
import { HookServer } from '../support/healer/hook-server.ts';
import { type Deposed, depose } from '../support/healer/leader.ts';
import { answering, workload } from '../support/healer/services.ts';
import { eventually } from '../support/kubectl.ts';

describe('the healer itself', () => {
  let world: HealerWorld;
  /** Of the only one that depends on anybody: it says nothing until it is let. */
  let hook: HookServer;
  /** Each takeover's time; the Lease is for 6 s. */
  const takeovers: Record<string, number> = {};
  /** Those that something is done to. */
  const ill: Pod[] = [];

  /** An instance that takes its time to come up leaves time to verify. */
  const slowly = `sleep 6; ${answering}`;
  const dependedOn = ['database', 'ledger', 'shop', 'till', 'mail'] as const;

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-9', 2, { entry: 'e2e/support/healer/quick-lease.ts' });
    hook = await HookServer.open(world.host);
    hook.answer = undefined;
    const approval = { replace: { approval: true }, rollback: { approval: true } };
    const recovery = { steps: approval, stability: '15s' };
    const coordination = { deadline: '5m' };
    await world.adopt('Deployment', 'database', { recovery, coordination }, { script: slowly });
    await world.adopt('StatefulSet', 'ledger', { recovery, coordination }, { script: slowly, isProbed: true });
    await world.adopt('Deployment', 'shop', { coordination });
    await world.own('Deployment', 'till');
    await world.adopt('Deployment', 'mail');
    const dependsOn = ['database', 'ledger', 'shop'];
    await world.adopt('Deployment', 'cart', { dependsOn, coordination: { hook: { url: hook.url, timeout: '2s' } } });
    await Promise.all(['cart', ...dependedOn].map((name) => world.untilHealthy(name)));
    await world.untilProven('ledger');
    await world.remember();
  });

  afterAll(async () => {
    console.log('seconds until another replica led:', takeovers);
    await hook?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  async function deposeBy(what: string, fault: (leader: Pod) => Promise<unknown>): Promise<Deposed> {
    const deposed = await depose(world, fault);
    takeovers[what] = Math.round(deposed.after / 100) / 10;
    return deposed;
  }

  /** Kills whoever leads while a repair is at this stage: once for each, or for all that are there together. */
  async function killAt(stage: string, ...incidents: string[]): Promise<void> {
    let left = incidents;
    while (left.length > 0) {
      const there = await eventually(async () => {
        const found = left.filter((name) => world.witness.stagesOf(name).at(-1)?.value === stage);
        expect(found, `${left} at ${stage}`).not.toEqual([]);
        return found;
      }, 100_000);
      await deposeBy(`killed at ${stage} of ${there.join(' and ')}`, kill);
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

  /** One that will be replaced, once, by nobody else. */
  async function freezeOneOf(service: string): Promise<Pod> {
    const { ill: pod } = await world.illAndWell(service);
    ill.push(pod);
    await world.cluster.faults.freeze({ pod });
    return pod;
  }

  it('killed at each stage of each repair, it comes to the same end and does nothing twice', async () => {
    await using gate = await EvictionGate.close(world.client, world.host);
    const [broken] = (await world.pods('ledger')).slice(-1);
    const frozen = await freezeOneOf('database');
    await killAt('suspected', 'database-1');
    const { template } = workload('ledger', { script: 'exit 1', isProbed: true }).spec;
    await world.client.patch(StatefulSet, { name: 'ledger', namespace: 'default' }, { spec: { template } });
    await killAt('proposed', 'database-1', 'ledger-1');
    await Promise.all(['database-1', 'ledger-1'].map(approve));
    await eventually(async () => {
      const asked = hook.asked.filter(({ phase }) => phase === 'before').map(({ incident }) => incident);
      expect(asked).toEqual(expect.arrayContaining(['default/database#1', 'default/ledger#1']));
    }, 100_000);
    await killAt('tellingDependants', 'database-1', 'ledger-1');
    hook.answer = 200;
    // Asked for, and not answered: nobody knows whether it was done.
    await eventually(async () => {
      expect(gate.asked).toEqual(expect.arrayContaining([frozen.metadata.name, broken?.metadata.name]));
    }, 100_000);
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
  }, 400_000);

  /** People have heard of every stage: killed between telling and noting it, it may have told them again, but only once. */
  async function expectNoStageUntold(service: string): Promise<void> {
    const { stages = [] } = await world.untilStage(`${service}-1`, 'closed');
    await eventually(async () => {
      const lines = world.alertsOf(service).flatMap((alert) => alert.lines);
      for (const { reason } of stages) {
        const told = lines.filter((line) => line.endsWith(`: ${reason}`)).length;
        expect(told, `${reason} in ${JSON.stringify(lines, undefined, 1)}`).toBeGreaterThan(0);
      }
    });
    const ids = world.alertsOf(service).map(({ id }) => id);
    for (const id of new Set(ids)) expect(ids.filter((one) => one === id).length, id).toBeLessThanOrEqual(2);
  }

  it('frozen in the middle of a repair and thawed when another one has done it, it does nothing', async () => {
    hook.answer = undefined;
    const pod = await freezeOneOf('shop');
    await eventually(async () => {
      expect(hook.asked).toContainEqual(expect.objectContaining({ phase: 'before', incident: 'default/shop#1' }));
    }, 100_000);
    const { leader } = await deposeBy('frozen', (one) => world.cluster.faults.freeze({ pod: one }));
    hook.answer = 200;
    await world.untilStage('shop-1', 'verifying');
    await world.cluster.faults.healAll();
    const status = await world.untilStage('shop-1', 'closed');
    expect(status).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets: [pod.metadata.name] }] });
    const evictions = await world.evictionsOf(pod);
    expect(evictions).toHaveLength(1);
    expect(evictions[0]?.sourceIPs).not.toContain(leader.status?.podIP);
  }, 240_000);

  it('cut off from the API server, it does nothing; the other replica does it, once', async () => {
    const before = await world.pods('till');
    let pod: Pod | undefined;
    const { leader } = await deposeBy('cut off', async (one) => {
      await world.cluster.faults.drop({ percent: 100, from: one, to: { node: 'cp' }, bothWays: true });
      pod = await freezeOneOf('till');
    });
    const status = await world.untilStage('till-1', 'closed');
    await world.cluster.faults.healAll();
    // Whoever was cut off has heard what happened, and knows that it does not lead.
    await untilAllReady();
    expect(status).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets: [pod?.metadata.name] }] });
    const evictions = pod ? await world.evictionsOf(pod) : [];
    expect(evictions).toHaveLength(1);
    expect(evictions[0]?.sourceIPs).not.toContain(leader.status?.podIP);
    expect(uids(await world.pods('till'))).toEqual(expect.arrayContaining(uids(before.slice(1))));
    await world.expectTold('till', 'till-1');
  }, 240_000);

  it('cut off from the services, it takes them for unknown and touches none', async () => {
    await untilAllReady();
    const leader = await world.leader();
    const pods = (await Promise.all(['till', 'mail'].map((name) => world.pods(name)))).flat();
    const cut = await world.cluster.faults.drop({ percent: 100, from: leader, to: pods, bothWays: true });
    for (const name of ['mail-1', 'till-2']) {
      expect(await world.untilStage(name, 'handedOver')).toMatchObject({ cause: 'network', actions: [] });
    }
    await cut.heal();
    // They come back one after the other: that the last of them was, in the end, the only one not reached changes nothing.
    for (const name of ['mail-1', 'till-2']) {
      expect(await world.untilStage(name, 'closed')).toMatchObject({ cause: 'network', actions: [] });
    }
  }, 240_000);

  it('without an API server for a minute, it does what is to be done after that, once', async () => {
    const pod = await freezeOneOf('mail');
    // Nothing can be confirmed yet.
    await world.cluster.faults.stop({ component: 'kube-apiserver', signal: 'SIGKILL', for: '60s' });
    // Kubernetes itself needs a while to find its feet after that.
    const { cause, actions } = await world.untilStage('mail-2', 'closed', 300_000);
    // After so long Kubernetes may take nodes for lost that could only not report.
    expect(cause).toMatch(/^(hang|unreachable|node-unreachable)$/);
    expect(actions).toMatchObject([{ step: 'replace', targets: [pod.metadata.name] }]);
    expect(await world.evictionsOf(pod)).toHaveLength(1);
    await world.expectTold('mail', 'mail-2');
  }, 400_000);

  it('leaves everything as it should be', async () => {
    await world.expectHeld({ touched: ill, changed: ['kurator', 'ledger'] });
  });

  async function untilAllReady(): Promise<void> {
    await eventually(async () => {
      const pods = await world.operatorPods();
      expect(pods.map((pod) => pod.status?.containerStatuses?.[0]?.ready)).toEqual([true, true]);
    }, 100_000);
  }
});
