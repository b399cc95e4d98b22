/** Keeps pods busy up to their limit, from within: a limit counts only what is in the container itself. */
import { isNotFound, type Pod, parseQuantity, quantityToNumber } from '@kurator/client';
import { namesOf } from './hold.ts';
import { type Inside, runInside, worksInside } from './inside.ts';
import { containerOf, type Means, missing, type Stage } from './means.ts';
import { burnScript, stopBurningScript } from './scripts.ts';

const timeout = 30_000;

export function burnMeans(stage: Stage): Means {
  const { pods, id, seconds } = stage;
  return {
    plan: `keeps ${namesOf(pods)} busy up to the CPU limit, by loops in the pods themselves`,
    async check() {
      for (const pod of pods) {
        limitOf(stage, pod);
        if (await worksInside(stage, pod, 'command -v sleep >/dev/null')) continue;
        throw missing(`the image of ${pod.metadata.name} has no sh with sleep`, 'drill another fault');
      }
    },
    async inject() {
      const at = Date.now();
      // Not broken off halfway by a Ctrl-C: what has begun is known, and can be ended.
      const signal = AbortSignal.timeout(timeout);
      await Promise.all(
        pods.map(async (pod) => {
          const args = [Math.ceil(limitOf(stage, pod)), seconds];
          await runInside({ ...stage, signal }, pod, burnScript(id), args);
        }),
      );
      return at;
    },
    heal: async () => await endBurning(stage, pods, id),
  };
}

/** Harmless if it has ended. */
export async function endBurning(inside: Omit<Inside, 'signal'>, pods: readonly Pod[], id: string): Promise<void> {
  const signal = AbortSignal.timeout(timeout);
  const end = async (pod: Pod) => await runInside({ ...inside, signal }, pod, stopBurningScript(id));
  await Promise.all(
    pods.map((pod) =>
      end(pod).catch((error: unknown) => {
        // One that is gone, or restarts, burns no more.
        if (!isNotFound(error) && !/container not found/.test((error as Error).message)) throw error;
      }),
    ),
  );
}

/** In cores. */
function limitOf(stage: Stage, pod: Pod): number {
  const container = containerOf(pod, stage.container);
  const limit = container.resources?.limits?.cpu;
  if (limit !== undefined) return quantityToNumber(parseQuantity(String(limit)));
  const what = `container ${container.name} of ${pod.metadata.name} has no CPU limit: loops in it would take the whole node`;
  throw missing(what, 'set resources.limits.cpu');
}
