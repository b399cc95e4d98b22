/** How late checks were started, counted by size: each bound is a fifth above the one before. */

const GROWTH = 1.2;
const FIRST_MS = 0.5;
const BUCKETS = 64;

/** The upper bounds, in milliseconds; what is above the last, about 14 hours, is counted there as well. */
export const latenessBounds: readonly number[] = Array.from({ length: BUCKETS }, (_, i) => FIRST_MS * GROWTH ** i);

export class LatenessHistogram {
  readonly counts = new Float64Array(BUCKETS);

  observe(milliseconds: number): void {
    const bucket = milliseconds <= FIRST_MS ? 0 : Math.ceil(Math.log(milliseconds / FIRST_MS) / Math.log(GROWTH));
    const index = Math.min(bucket, BUCKETS - 1);
    this.counts[index] = (this.counts[index] as number) + 1;
  }
}

/** The bound below which this share (0 to 1) of all counted starts were; 0 when nothing was counted. */
export function latenessAt(counts: ArrayLike<number>, share: number): number {
  const all = Array.from(counts).reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (let i = 0; i < counts.length; i++) {
    seen += counts[i] as number;
    if (all > 0 && seen >= all * share) return latenessBounds[i] ?? Number.POSITIVE_INFINITY;
  }
  return 0;
}
