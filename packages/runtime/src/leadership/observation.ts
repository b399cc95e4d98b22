/**
 * When a lease may be taken from its holder. Times in it were written by another machine's clock, so they only serve
 * to see that it changed; how long ago that was, our own clock says.
 */
import type { LeaseRecord } from './lease-store.ts';

export class LeaseObservation {
  #record: LeaseRecord | undefined;
  #changedAt = 0;
  readonly #ownDuration: number;

  /** @param ownDuration Milliseconds to wait where the record doesn't say for how long it was meant to hold. */
  constructor(ownDuration: number) {
    this.#ownDuration = ownDuration;
  }

  /** @param now Clock.now() after the answer came: later than the write itself, so that nobody is robbed early. */
  saw(record: LeaseRecord | undefined, now: number): void {
    // A lease that someone deleted may still be in use: its holder finds out at his next renewal.
    if (!record || sameRecord(record, this.#record)) return;
    this.#record = record;
    this.#changedAt = now;
  }

  get record(): LeaseRecord | undefined {
    return this.#record;
  }

  /** Milliseconds until nobody can think that he holds it: 0 when it was given back, never held, or ran out. */
  freeIn(now: number): number {
    if (!this.#record?.holderIdentity) return 0;
    const duration = this.#record.leaseDurationSeconds * 1000 || this.#ownDuration;
    return Math.max(0, this.#changedAt + duration - now);
  }
}

function sameRecord(a: LeaseRecord, b: LeaseRecord | undefined): boolean {
  return (
    a.holderIdentity === b?.holderIdentity &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.leaseTransitions === b.leaseTransitions
  );
}
