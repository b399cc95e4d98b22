import type { Clock } from '../clock.ts';
import { RuntimeError } from '../error.ts';

/** How many tokens a second there are in the long run, and how many at once after a rest. */
export interface TokenBucketOptions {
  /** More than 0. */
  perSecond: number;
  /** At least 1. */
  burst: number;
}

/** Spreads out what would come all at once: everyone gets a token, later ones with a longer wait. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMillisecond: number;
  readonly #burst: number;
  /** Below zero once tokens of the future are promised. */
  #tokens: number;
  #at: number;

  constructor({ perSecond, burst }: TokenBucketOptions, clock: Clock) {
    if (!(perSecond > 0) || !(burst >= 1)) {
      throw new RuntimeError('KUR_RUNTIME_BAD_RATE', `${perSecond} a second with a burst of ${burst} is no rate`, {
        remedy: 'give perSecond a number above 0 and burst a number from 1, or lift the limit by false',
      });
    }
    this.#clock = clock;
    this.#perMillisecond = perSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  /** Takes a token; says how many milliseconds later it may be used. */
  reserve(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMillisecond) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMillisecond;
  }
}
