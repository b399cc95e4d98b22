import type { Clock } from './clock.ts';

/** Waits on the given clock. Ends early, without an error, when a signal fires: the caller looks at it anyway. */
export function pause(clock: Clock, milliseconds: number, ...signals: AbortSignal[]): Promise<void> {
  if (signals.some((signal) => signal.aborted)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.setTimeout(end, milliseconds);
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
    function end(): void {
      clock.clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    }
  });
}

/** Resolves when a signal fires, at once if it has. */
export async function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
