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
