/** Time as the checks see it; injected, so that tests of the scheduler run on virtual time. */
export interface CheckClock {
  /** Milliseconds on a clock that is never set back or forth: only differences mean something. */
  now(): number;
  /** Milliseconds since 1970, for what people and other machines read: it may jump. */
  date(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  /** Calls back once everything that the network has already brought was read. */
  afterReading(callback: () => void): void;
}

/** The machine's own clock. */
export const systemClock: CheckClock = {
  now: () => performance.now(),
  date: () => Date.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
  // Node runs due timers before it reads sockets, and immediates after.
  afterReading: (callback) => void setImmediate(callback),
};
