/**
 * Story 9, second part: the healer is frozen, cut off, or without an API server. Each repair ends as it would have; nothing
 * is done twice.
 */
import type { Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung, uids } from '../support/healer/healer-world.ts';
import { HookServer } from '../support/healer/hook-server.ts';
import { depose } from '../support/healer/leader.ts';
import { patiently } from '../support/kubectl.ts';

describe('the healer, cut off', () => {
  let world: HealerWorld;
  /** Of the only one that depends on anybody. */
  let hook: HookServer;
  /** Those that something is done to. */
  const ill: Pod[] = [];

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-9-cut-off', 2, { entry: 'e2e/support/healer/quick-lease.ts' });
    hook = await HookServer.open(world.host);
    await world.adopt('Deployment', 'shop', { coordination: { deadline: '5m' } });
    await world.own('Deployment', 'till');
    await world.adopt('Deployment', 'mail');
    const coordination = { hook: { url: hook.url, timeout: '2s' } };
    await world.adopt('Deployment', 'cart', { dependsOn: ['shop'], coordination });
    await Promise.all(['cart', 'shop', 'till', 'mail'].map((name) => world.untilHealthy(name)));
    await world.remember();
  });

  afterAll(async () => {
    await hook?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** One that will be replaced, once, by nobody else. */
  async function freezeOneOf(service: string): Promise<Pod> {
    const { ill: pod } = await world.illAndWell(service);
    ill.push(pod);
    await world.cluster.faults.freeze({ pod });
    return pod;
  }

  it('frozen in the middle of a repair and thawed when another one has done it, it does nothing', async () => {
    hook.answer = undefined;
    const pod = await freezeOneOf('shop');
    await eventually(
      async () => {
        expect(hook.asked).toContainEqual(expect.objectContaining({ phase: 'before', incident: 'default/shop#1' }));
      },
      { ...patiently, timeout: 200_000 },
    );
    const leader = await depose(world, 'frozen', (one) => world.cluster.faults.freeze({ pod: one }));
    hook.answer = 200;
    await world.untilStage('shop-1', 'verifying');
    await world.cluster.faults.healAll();
    const status = await world.untilStage('shop-1', 'closed');
    expect(status).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets: [pod.metadata.name] }] });
    const evictions = await world.evictionsOf(pod);
    expect(evictions).toHaveLength(1);
    expect(evictions[0]?.sourceIPs).not.toContain(leader.status?.podIP);
  }, 600_000);

  it('cut off from the API server, it does nothing; the other replica does it, once', async () => {
    const before = await world.pods('till');
    let pod: Pod | undefined;
    const leader = await depose(world, 'cut off', async (one) => {
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
  }, 600_000);

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
  }, 600_000);

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
  }, 900_000);

  it('leaves everything as it should be', async () => {
    await world.expectHeld({ touched: ill, changed: ['kurator'] });
  });

  async function untilAllReady(): Promise<void> {
    await eventually(
      async () => {
        const pods = await world.operatorPods();
        expect(pods.map((pod) => pod.status?.containerStatuses?.[0]?.ready)).toEqual([true, true]);
      },
      { ...patiently, timeout: 200_000 },
    );
  }
});
