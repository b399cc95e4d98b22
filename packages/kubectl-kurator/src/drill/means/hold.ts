/** Kills or holds the processes of pods, from beside them. */
import type { Pod } from '@kurator/client';
import { checkArchitecture } from './architecture.ts';
import { type Companion, checkBeside, endBeside, runBeside } from './beside.ts';
import { HOLD, KILL } from './hold-program.ts';
import type { Means, Stage } from './means.ts';
import { signalScript, traceScript } from './scripts.ts';

/** Where nothing but a tracer reaches them. */
const tracer = { runAsUser: 0, runAsNonRoot: false, capabilities: { add: ['SYS_PTRACE'] } };

const remedy =
  'allow SYS_PTRACE for ephemeral containers there, or set shareProcessNamespace in the pod template: then signals do';

const words = { kill: 'kills', hang: 'holds' } as const;

export function holdMeans(stage: Stage, how: 'kill' | 'hang'): Means {
  const { client, pods, id, seconds, signal } = stage;
  const isTraced = ({ spec }: Pod) => !spec?.shareProcessNamespace;
  const companion = (pod: Pod): Companion => {
    const isKill = how === 'kill';
    const lasts = isKill ? 0 : seconds;
    // There the first process is Kubernetes' own, and whoever has the same user may send signals to the others.
    if (!isTraced(pod)) {
      return { script: signalScript(), args: [isKill ? 'KILL' : 'STOP', lasts] };
    }
    return { script: traceScript(), args: [isKill ? KILL : HOLD, lasts], security: tracer, isFatal: isKill };
  };
  const by = pods.some(isTraced) ? 'by a tracer' : 'by signals';
  return {
    plan: `${words[how]} all processes of ${namesOf(pods)}, ${by} in an ephemeral container`,
    async check() {
      await checkArchitecture(client, pods.filter(isTraced), signal);
      for (const pod of pods) await checkBeside(stage, pod, companion(pod), remedy);
    },
    async inject() {
      const moments = await Promise.all(pods.map((pod) => runBeside(stage, pod, companion(pod))));
      return Math.min(...moments);
    },
    async heal() {
      await Promise.all(pods.map((pod) => endBeside(client, pod, id)));
    },
  };
}

export function namesOf(pods: readonly Pod[]): string {
  return pods.map(({ metadata }) => metadata.name).join(', ');
}
