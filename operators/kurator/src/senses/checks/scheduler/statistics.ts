/** What a scheduler has done so far: plain numbers, which add up over threads. */
import type { Outcome } from '../error-kind.ts';

/** How many checks there are, what became of them, and how late they were. */
export interface CheckStatistics {
  readonly checks: number;
  readonly running: number;
  /** Due, and held back by a limit on how many may run at once. */
  readonly waiting: number;
  /** Since the start. */
  readonly results: Readonly<Record<Outcome, number>>;
  /** Periods passed over because the check before was still running or waiting. */
  readonly missed: number;
  /** How late checks were started: counts by `latenessBounds`. */
  readonly lateness: readonly number[];
}

/** Of several threads together. */
export function sumOfStatistics(parts: readonly CheckStatistics[]): CheckStatistics {
  const sum = (of: (part: CheckStatistics) => number) => parts.reduce((total, part) => total + of(part), 0);
  const buckets = Math.max(0, ...parts.map(({ lateness }) => lateness.length));
  return {
    checks: sum(({ checks }) => checks),
    running: sum(({ running }) => running),
    waiting: sum(({ waiting }) => waiting),
    results: {
      healthy: sum(({ results }) => results.healthy),
      failing: sum(({ results }) => results.failing),
      unknown: sum(({ results }) => results.unknown),
    },
    missed: sum(({ missed }) => missed),
    lateness: Array.from({ length: buckets }, (_, i) => sum(({ lateness }) => lateness[i] ?? 0)),
  };
}

/** Of nothing. */
export const noStatistics: CheckStatistics = sumOfStatistics([]);

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
