/** How long things last. Each is measured by one machine's own clock, from one moment of its own to another. */
export interface Times {
  /** How often the holder renews, and asks for grants where it can't. */
  readonly renew: number;
  /** How long a primary runs on after it has sent the last renewal, or request for a grant, that succeeded. */
  readonly run: number;
  /** How long everybody else waits, from when they have seen it on: longer than `run`, so that clocks may run half as fast again. */
  readonly wait: number;
  /** How old the last write probe may be for a renewal. */
  readonly probe: number;
  /** How long postgres may take to start before its lease is let go of. */
  readonly start: number;
  /** How long a holder that has released the lease leaves it to others. */
  readonly yield: number;
}

/** In milliseconds. */
export const TIMES: Times = { renew: 2_000, run: 10_000, wait: 15_000, probe: 4_000, start: 60_000, yield: 5_000 };
