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
