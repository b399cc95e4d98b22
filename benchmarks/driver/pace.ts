/** Does something at a steady rate, as long as the other side keeps up. */

/** How much, how long. */
export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  /** How many may be under way; where that many are, the rate drops instead. */
  readonly concurrency: number;
}

const TICK_MILLISECONDS = 5;

/** Calls `work` with 0, 1, 2, …; resolves when the time is over and all of it has ended; rejects when one call does. */
export async function atPace(pace: Pace, work: (i: number) => Promise<unknown>): Promise<void> {
  const { perSecond, seconds, concurrency } = pace;
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const running = new Set<Promise<unknown>>();
  let begun = 0;
  // What could not begin in time is not made up for: the load must not come in waves.
  let due = 0;
  let last = 0;
  let failure: unknown;
  while (elapsed() < seconds && failure === undefined) {
    const now = elapsed();
    due = Math.min(due + (now - last) * perSecond, perSecond / 10);
    last = now;
    for (; due >= 1 && running.size < concurrency; due -= 1) {
      const one: Promise<unknown> = work(begun++)
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MILLISECONDS));
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure;
}
