/** What can happen to a cluster of etcd while somebody writes to it. Each is one table entry; moments come from the seed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { EtcdCluster } from '@kurator/operator-etcd';
import { PersistentVolumeClaim, Pod } from '@kurator/sdk';
import { eventually, type FaultHandle } from '@kurator/testenv';
import { ETCD_NEXT_VERSION } from '../../e2e/support/etcd-image.ts';
import { patiently } from '../../e2e/support/kubectl.ts';
import type { Subject } from './arena.ts';

/** What a scenario is given. */
export interface Stage {
  readonly subject: Subject;
  /** From 0 to 1, the same for a seed. */
  chance(what: string): number;
}

export interface Scenario {
  readonly name: string;
  readonly words: string;
  /** Does it, and undoes what can be undone. Gives those in whose place others must be afterwards. */
  act(stage: Stage): Promise<readonly Pod[]>;
}

/** Pods of members, the leader's last. */
async function members({ subject }: Stage): Promise<Pod[]> {
  const pods = await subject.pods();
  const { status } = await subject.etcd();
  return pods.toSorted(
    (a, b) => Number(a.metadata.name === status?.leader) - Number(b.metadata.name === status?.leader),
  );
}

async function leader(stage: Stage): Promise<Pod> {
  return one((await members(stage)).at(-1));
}

async function follower(stage: Stage): Promise<Pod> {
  const followers = (await members(stage)).slice(0, -1);
  return one(followers[Math.floor(stage.chance('follower') * followers.length)]);
}

function one(pod: Pod | undefined): Pod {
  if (!pod) throw new Error('there is no member');
  return pod;
}

const restarts = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.restartCount ?? 0;

async function remove({ subject }: Stage, pod: Pod, abruptly = false): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  await subject.arena.client.delete(Pod, { name, namespace }, abruptly ? { gracePeriodSeconds: 0 } : {});
}

/** Whether none of these is a member. */
export const isWithout = ({ status }: EtcdCluster, pods: readonly Pod[]): boolean =>
  pods.every(({ metadata }) => (status?.members ?? []).every(({ name }) => name !== metadata.name));

async function kill({ subject }: Stage, pod: Pod): Promise<readonly Pod[]> {
  await subject.arena.cluster.faults.kill({ pod });
  return [];
}

async function during(stage: Stage, seconds: number, begin: Promise<FaultHandle>): Promise<readonly Pod[]> {
  // Others may have faults of their own at the same time: only this one is healed.
  const fault = await begin;
  await delay(1000 * seconds * (0.5 + stage.chance('length') / 2));
  await fault.heal();
  return [];
}

const faults = ({ subject }: Stage) => subject.arena.cluster.faults;

export const scenarios: readonly Scenario[] = [
  {
    name: 'kill-follower',
    words: 'SIGKILL to a follower',
    act: async (stage) => await kill(stage, await follower(stage)),
  },
  {
    name: 'pod-leader',
    words: 'the leader’s pod is deleted',
    act: async (stage) => {
      const pod = await leader(stage);
      await remove(stage, pod);
      return [pod];
    },
  },
  {
    name: 'freeze-leader',
    words: 'SIGSTOP to the leader for some seconds',
    act: async (stage) => await during(stage, 6, faults(stage).freeze({ pod: await leader(stage) })),
  },
  {
    name: 'claim-follower',
    words: 'a follower’s pod and its claim are deleted',
    act: async (stage) => {
      const pod = await follower(stage);
      const { name, namespace = '' } = pod.metadata;
      await stage.subject.arena.client.delete(PersistentVolumeClaim, { name, namespace });
      await remove(stage, pod, true);
      return [pod];
    },
  },
  {
    name: 'partition',
    words: 'the leader’s node is cut off from the others',
    act: async (stage) => {
      const node = (await leader(stage)).spec?.nodeName ?? '';
      const others = ['n1', 'n2', 'n3'].filter((name) => name !== node);
      return await during(stage, 8, faults(stage).partition({ groups: [[node], others] }));
    },
  },
  {
    name: 'second-lost',
    words: 'a second member is killed while the first is replaced',
    act: async (stage) => {
      const [first, second] = await members(stage);
      await remove(stage, one(first));
      const joins = async () =>
        ((await stage.subject.etcd()).status?.members ?? []).some(({ state }) => state === 'Joining');
      await eventually(async () => await joins(), patiently);
      await delay(1500 * stage.chance('second'));
      await kill(stage, one(second));
      return [one(first)];
    },
  },
  {
    name: 'upgrade',
    words: 'it is upgraded to the next minor',
    act: async ({ subject }) => {
      await subject.change({ version: ETCD_NEXT_VERSION });
      return [];
    },
  },
  {
    name: 'operator-killed',
    words: 'the operator is killed again and again while it replaces the leader',
    act: async (stage) => {
      const pod = await leader(stage);
      await remove(stage, pod);
      for (let i = 0; i < 4; i += 1) {
        await delay(400 + 1600 * stage.chance(`kill ${i}`));
        await stage.subject.operator.kill();
      }
      return [pod];
    },
  },
  {
    name: 'kill-leader',
    words: 'SIGKILL to the leader',
    act: async (stage) => await kill(stage, await leader(stage)),
  },
  {
    name: 'pod-follower',
    words: 'a follower’s pod is deleted',
    act: async (stage) => {
      const pod = await follower(stage);
      await remove(stage, pod);
      return [pod];
    },
  },
  {
    name: 'loss',
    words: 'a fifth of the leader’s packets is lost for some seconds',
    act: async (stage) =>
      await during(stage, 8, faults(stage).drop({ percent: 20, from: await leader(stage), bothWays: true })),
  },
  {
    name: 'two-lost',
    words: 'two pods are deleted at once, and with them quorum',
    act: async (stage) => {
      const lost = (await members(stage)).slice(stage.chance('leader too') < 0.5 ? 0 : 1).slice(0, 2);
      await Promise.all(lost.map((pod) => remove(stage, pod, true)));
      return [];
    },
  },
  {
    name: 'power-off',
    words: 'a member’s node loses its power, and comes back',
    act: async (stage) => {
      const node = (await follower(stage)).spec?.nodeName ?? '';
      return await during(stage, 10, faults(stage).powerOff({ node }));
    },
  },
  {
    name: 'kill-all',
    words: 'SIGKILL to all members at once',
    act: async (stage) => {
      await Promise.all((await members(stage)).map((pod) => kill(stage, pod)));
      return [];
    },
  },
  {
    name: 'freeze-follower',
    words: 'SIGSTOP to a follower until the kubelet restarts it, or another has its place',
    act: async (stage) => {
      const pod = await follower(stage);
      const fault = await faults(stage).freeze({ pod });
      try {
        await eventually(async () => {
          const now = (await stage.subject.pods()).find(({ metadata }) => metadata.name === pod.metadata.name);
          return restarts(now) > restarts(pod) || now === undefined;
        }, patiently);
      } finally {
        await fault.heal();
      }
      return [];
    },
  },
  {
    name: 'grow-shrink',
    words: 'it grows to five members and shrinks to three',
    act: async ({ subject }) => {
      await subject.change({ size: 5 });
      await subject.untilRunning(120_000);
      await subject.change({ size: 3 });
      return [];
    },
  },
  {
    name: 'rotate',
    words: 'another authority follows the present one',
    act: async ({ subject }) => {
      await subject.change({ tls: { authority: 'another' } });
      await subject.untilRotated();
      return [];
    },
  },
];

export function scenarioBy(name: string): Scenario {
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(`there is no scenario "${name}"`);
  return scenario;
}
