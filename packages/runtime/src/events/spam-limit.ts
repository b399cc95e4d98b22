/**
 * Keeps one object from filling etcd with events: a burst of writes, then one every few minutes. Go's recorder has the
 * same limit; ours counts writes, not happenings, so that a series goes on being counted while it waits for its turn.
 */

import { BoundedMap } from '../bounded-map.ts';
import type { Clock } from '../clock.ts';

export interface SpamLimitOptions {
  /** Writes that an object may cause at once; 25 unless given. */
  readonly burst?: number;
  /** Milliseconds until one more is allowed; 5 minutes unless given. */
  readonly refill?: number;
  /** Objects that are remembered; 4096 unless given. */
  readonly objects?: number;
}

interface Allowance {
  tokens: number;
  at: number;
}

export class SpamLimit {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #refill: number;
  readonly #allowances: BoundedMap<string, Allowance>;

  constructor(clock: Clock, { burst = 25, refill = 300_000, objects = 4096 }: SpamLimitOptions = {}) {
    this.#clock = clock;
    this.#burst = burst;
    this.#refill = refill;
    this.#allowances = new BoundedMap(objects);
  }

  /** Takes one write of an object's allowance; false when it is used up. */
  allows(object: string): boolean {
    const now = this.#clock.now();
    const { tokens, at } = this.#allowances.get(object) ?? { tokens: this.#burst, at: now };
    const filled = Math.min(this.#burst, tokens + (now - at) / this.#refill);
    const allowed = filled >= 1;
    this.#allowances.set(object, { tokens: allowed ? filled - 1 : filled, at: now });
    return allowed;
  }
}
