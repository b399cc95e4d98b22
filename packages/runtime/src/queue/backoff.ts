import { type Duration, parseDuration } from '../duration.ts';
import { RuntimeError } from '../error.ts';

/** How long something that fails again and again is left alone. */
export interface BackoffOptions {
  /** After the first failure; 10 ms unless given. Each further failure doubles it. */
  first?: Duration;
  /** Never longer than this; 5 minutes unless given: longer, and an outage would be over long before we notice. */
  longest?: Duration;
  /**
   * Which share of the wait is left to chance, from 0 to 1, so that what failed together does not come back together;
   * 0.2 unless given: between 80 % and 100 % of the wait.
   */
  jitter?: number;
}

/** Milliseconds to wait after so many failures in a row. */
export type Backoff = (failures: number) => number;

/** @param random From 0 to 1, as Math.random gives it. */
export function createBackoff(options: BackoffOptions = {}, random: () => number = Math.random): Backoff {
  const { jitter = 0.2 } = options;
  const first = parseDuration(options.first ?? 10, 'backoff.first');
  const longest = parseDuration(options.longest ?? '5m', 'backoff.longest');
  if (!(jitter >= 0 && jitter <= 1) || first > longest || first === 0) throw nonsense(options);
  return (failures) => {
    const full = Math.min(first * 2 ** (failures - 1), longest);
    return full * (1 - jitter * random());
  };
}

function nonsense(options: BackoffOptions): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_BAD_BACKOFF', `backoff: ${JSON.stringify(options)} makes no sense`, {
    remedy: 'give 0 < first <= longest and a jitter from 0 to 1',
  });
}
