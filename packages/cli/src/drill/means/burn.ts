/** Keeps instances busy up to their limit, from within: a limit counts only what is in the container itself. */
import { isNotFound, type Pod, parseQuantity, quantityToNumber, runInPod } from '@kurator/client';
import { namesOf } from './hold.ts';
import { containerOf, type Means, missing, type Stage } from './means.ts';
import { burnScript } from './scripts.ts';

export function burnMeans(stage: Stage): Means {
  const { client, pods, signal, seconds } = stage;
  const burning = new Map<Pod, string>();
  const run = async (pod: Pod, command: readonly string[], until: AbortSignal) =>
    await runInPod(client, { ...pod.metadata }, command, {
      container: containerOf(pod, stage.container).name,
      signal: until,
    });
  return {
    plan: `keeps ${namesOf(pods)} busy up to the CPU limit, by loops in the instances themselves`,
    async check() {
      for (const pod of pods) {
        limitOf(stage, pod);
        const { exitCode } = await run(pod, ['sh', '-c', 'command -v sleep >/dev/null'], signal);
        if (exitCode !== 0)
          throw missing(`the image of ${pod.metadata.name} has no sh with sleep`, 'drill another fault');
      }
    },
    async inject() {
      const at = Date.now();
      await Promise.all(
        pods.map(async (pod) => {
          const loops = String(Math.ceil(limitOf(stage, pod)));
          const { stdout } = await run(pod, ['sh', '-c', burnScript(), 'drill', loops, String(seconds)], signal);
          burning.set(pod, stdout.trim());
        }),
      );
      return at;
    },
    async heal() {
      for (const [pod, pids] of burning) {
        await run(pod, ['sh', '-c', `kill -9 ${pids}`], AbortSignal.timeout(15_000)).catch((error: unknown) => {
          // One that is gone burns no more.
          if (!isNotFound(error)) throw error;
        });
      }
      burning.clear();
    },
  };
}

/** In cores. */
function limitOf(stage: Stage, pod: Pod): number {
  const container = containerOf(pod, stage.container);
  const limit = container.resources?.limits?.cpu;
  if (limit !== undefined) return quantityToNumber(parseQuantity(String(limit)));
  const what = `container ${container.name} of ${pod.metadata.name} has no CPU limit: loops in it would take the whole node`;
  throw missing(what, 'set resources.limits.cpu');
}
