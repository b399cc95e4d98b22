/**
 * How long the thread was held up by other work. A check sees that as slowness of its target: the answer lay in the
 * kernel, and nobody read it. A second of it would look just like a lost packet, so it is measured and left out.
 */

/** A timer is never exact: only what is later than this was held up. */
const GRACE_MS = 5;

export class LoopLag {
  #total = 0;
  #expectedAt = Number.POSITIVE_INFINITY;

  /** The thread will next be awake at `at`, unless something holds it up. */
  expect(at: number): void {
    this.#expectedAt = at;
  }

  /** It is awake, because of what was expected. */
  woke(now: number): void {
    this.#total = this.at(now);
    this.#expectedAt = Number.POSITIVE_INFINITY;
  }

  /** Everything up to now; a difference of two of these is the lag in between. */
  at(now: number): number {
    return this.#total + Math.max(0, now - this.#expectedAt - GRACE_MS);
  }
}
