import type { Controller } from '../../controller/controller.ts';
import { RuntimeError } from '../../error.ts';
import type { Runnable } from '../runnable.ts';

/** A controller as something that a manager runs: it drains when told to stop, and breaks off when told to. */
export function controllerRunnable(controller: Controller): Runnable {
  return {
    name: `controller ${controller.name}`,
    async run({ stop, abort, remaining }) {
      // Also while it still waits for its caches.
      const stopped = fired(stop).then(() => {
        abort.addEventListener('abort', () => void controller.stop(0), { once: true });
        return controller.stop(abort.aborted ? 0 : remaining());
      });
      await controller.start();
      const left = await stopped;
      if (left.length === 0) return;
      throw new RuntimeError('KUR_RUNTIME_DRAIN_TIMEOUT', `still reconciling ${left.slice(0, 5).join(', ')}`, {
        remedy: "pass the context's signal to what takes so long, or give the pod a longer grace period",
      });
    },
  };
}

async function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
