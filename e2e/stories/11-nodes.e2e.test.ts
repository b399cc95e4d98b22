/** Story 11: a node dies, and a node is cut off but alive: who is stateless moves, who is stateful is not started twice. */
import { Incident } from '@kurator/operator-kurator';
import { Node, type Pod, Pod as PodType } from '@kurator/sdk';
import { eventually, type FaultHandle } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, uids } from '../support/healer/healer-world.ts';
import { patiently } from '../support/kubectl.ts';

describe('when a node is lost', () => {
  let world: HealerWorld;
  /** Those that the healer does not run on. */
  let nodes: [dies: string, isCutOff: string];
  /** Instances that were on a node when something happened to it. */
  const lost: Pod[] = [];

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-11', 1, { fastFailureDetection: true });
    const recovery = { nodeGrace: '3s' };
    await world.adopt('Deployment', 'web', { recovery }, { isSpread: true });
    await world.adopt('StatefulSet', 'store', { recovery }, { isSpread: true });
    await Promise.all(['web', 'store'].map((name) => world.untilHealthy(name)));
    const [healer] = await world.operatorPods();
    const others = ['n1', 'n2', 'n3'].filter((name) => name !== healer?.spec?.nodeName);
    nodes = [others[0] ?? '', others[1] ?? ''];
    await world.remember();
  });

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const on = async (service: string, node: string) =>
    (await world.pods(service)).filter(({ spec }) => spec?.nodeName === node);

  const began: Record<string, number> = {};

  /** Until all stateless instances are well elsewhere. */
  async function expectMoved(node: string, what: string, fault: () => Promise<FaultHandle>): Promise<FaultHandle> {
    const [web, store] = await Promise.all([on('web', node), on('store', node)]);
    // Spread over the nodes, as they are: without anybody there this would show nothing.
    expect([web.length, store.length].every((count) => count > 0)).toBe(true);
    lost.push(...web, ...store);
    const since = performance.now();
    const handle = await fault();
    await eventually(
      async () => {
        const pods = await world.pods('web');
        // Until its node is missed, the scheduler may still send the next one there.
        lost.push(...pods.filter(({ spec }) => spec?.nodeName === node));
        const alive = pods.filter(({ spec }) => spec?.nodeName !== node);
        expect(alive).toHaveLength(3);
        expect((await world.status('web')).healthyInstances).toBe(3);
      },
      { ...patiently, timeout: 200_000 },
    );
    began[`until all were well elsewhere, ${what}`] = Math.round(performance.now() - since) / 1000;
    return handle;
  }

  /** It was neither deleted nor started elsewhere, and it is said why. */
  async function expectLeftAlone(incident: string, store: readonly Pod[]): Promise<void> {
    await eventually(
      async () => {
        expect((await world.status('store')).decision).toContain('is only unreachable, and must not run twice');
        const { status } = await world.client.get(Incident, { name: incident, namespace: 'default' });
        expect(status).toMatchObject({ cause: 'node-unreachable', actions: [] });
      },
      { ...patiently, timeout: 200_000 },
    );
    const { items } = await world.client.list(PodType, { namespace: 'default' });
    for (const { metadata } of store) {
      const now = items.find(({ metadata: { name } }) => name === metadata.name);
      expect(now?.metadata).toMatchObject({ uid: metadata.uid });
      expect(now?.metadata.deletionTimestamp).toBeUndefined();
      expect(await world.evictionsOf(now as Pod)).toEqual([]);
    }
  }

  async function untilReady(node: string): Promise<void> {
    await eventually(
      async () => {
        const { status } = await world.client.get(Node, { name: node });
        expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
      },
      { ...patiently, timeout: 200_000 },
    );
  }

  it('a node dies: its stateless instances move, its stateful one is not started twice', async () => {
    const [node] = nodes;
    const store = await on('store', node);
    // Its kubelet, its containerd and its link with it.
    const fault = await expectMoved(node, 'the node was dead', () => world.cluster.faults.powerOff({ node }));
    await expectLeftAlone('store-1', store);
    await fault.heal();
    await untilReady(node);
    await world.untilStage('store-1', 'closed');
    await world.untilStage('web-1', 'closed');
    expect(uids(await world.pods('store'))).toEqual(expect.arrayContaining(uids(store)));
  }, 300_000);

  it('a node is cut off but alive: the same, and what runs there runs on', async () => {
    const [, node] = nodes;
    const rest = ['cp', 'n1', 'n2', 'n3'].filter((name) => name !== node);
    const store = await on('store', node);
    const cut = () => world.cluster.faults.partition({ groups: [[node], rest] });
    const fault = await expectMoved(node, 'it was cut off', cut);
    await expectLeftAlone('store-2', store);
    await fault.heal();
    await untilReady(node);
    await world.untilStage('store-2', 'closed');
    await world.untilStage('web-2', 'closed');
    // The same process as before: nobody has started it again, here or elsewhere.
    const after = await on('store', node);
    expect(after.map(containers)).toEqual(store.map(containers));
  }, 300_000);

  it('leaves everything as it should be', async () => {
    console.log('seconds:', began);
    await world.expectHeld({ touched: lost });
  });

  function containers({ metadata, status }: Pod): string {
    const ids = status?.containerStatuses?.map(({ containerID, restartCount }) => `${containerID} #${restartCount}`);
    return `${metadata.uid}: ${ids?.join()}`;
  }
});
