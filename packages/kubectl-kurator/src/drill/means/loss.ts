/** Loses packets to a pod, in its own network. */
import { type Companion, checkBeside, endBeside, runBeside } from './beside.ts';
import { namesOf } from './hold.ts';
import { worksInside } from './inside.ts';
import { type Means, missing, type Stage } from './means.ts';
import { losesPackets, lossScript } from './scripts.ts';

const security = { runAsUser: 0, runAsNonRoot: false, capabilities: { add: ['NET_ADMIN'] } };

export function lossMeans(stage: Stage): Means {
  const { client, pods, id, percent, seconds } = stage;
  const companion: Companion = { script: lossScript(), args: [percent, seconds], security };
  return {
    plan: `loses ${percent} % of the packets to ${namesOf(pods)}, by iptables or tc in an ephemeral container`,
    async check() {
      for (const pod of pods) {
        if (!stage.image && !(await worksInside(stage, pod, losesPackets))) {
          throw missing(
            `the image of ${pod.metadata.name} has neither iptables nor tc`,
            'name one that has, with --image',
          );
        }
        await checkBeside(stage, pod, companion, 'allow NET_ADMIN for ephemeral containers there');
      }
    },
    inject: async () => Math.min(...(await Promise.all(pods.map((pod) => runBeside(stage, pod, companion))))),
    async heal() {
      await Promise.all(pods.map((pod) => endBeside(client, pod, id)));
    },
  };
}
