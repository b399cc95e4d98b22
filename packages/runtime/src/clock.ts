/** Time as the engine sees it; injected, so that tests run on virtual time. */

/** What {@link Clock.setTimeout} gives, for {@link Clock.clearTimeout}; opaque. */
export type ClockTimer = unknown;

/** What time it is, and what is to be done later. */
export interface Clock {
  /** Milliseconds on a clock that is never set back or forth: only differences mean something. */
  now(): number;
  /** Milliseconds since 1970, for what people and other machines read: it may jump. */
  date(): number;
  setTimeout(callback: () => void, milliseconds: number): ClockTimer;
  clearTimeout(timer: ClockTimer): void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

/**
 * A moment on both clocks. The monotonic one stands still while a machine sleeps, the wall clock can be set back: whichever of
 * the two saw more time pass is believed. Erring that way ends a leadership too early at worst.
 */
export interface Moment {
  readonly now: number;
  readonly date: number;
}

export function moment(clock: Clock): Moment {
  return { now: clock.now(), date: clock.date() };
}

/** Milliseconds since a moment; never too few. */
export function longestSince(clock: Clock, then: Moment): number {
  return Math.max(clock.now() - then.now, clock.date() - then.date);
}

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
