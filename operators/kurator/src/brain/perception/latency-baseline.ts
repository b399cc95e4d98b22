/**
 * What is usual for a check's latency, learned from its own results. Latencies spread by factors, so this is about
 * their logarithm: a running median and a running median deviation, each moved by a step and not by a distance, so that
 * one answer of a minute weighs as much as one that was a little late.
 */

/** What was learned so far. */
export interface LatencyBaseline {
  /** How many results it has seen, up to {@link patience}. */
  readonly seen: number;
  /** The median of ln(milliseconds). */
  readonly median: number;
  /** The median distance from it. */
  readonly spread: number;
}

/** Nothing learned yet. */
export const freshBaseline: LatencyBaseline = { seen: 0, median: 0, spread: 0.5 };

/** How many results it takes before anything is called slow. */
const patience = 30;
/** Slow is at least this many times the usual, however steady that is. */
const atLeastTimes = Math.log(3);
/** About two standard deviations. One such answer means little; that all of a long row are such is what counts. */
const atLeastSpreads = 3;
/** And at this many times nobody asks how far answers usually spread. */
const surelyTimes = Math.log(10);
/** Nobody minds 3 ms where 1 ms was usual. */
const atLeastMore = 50;
/** A step's size once learned; what is slow moves the baseline a fiftieth of it: a new normal is learned in hours. */
const step = 0.05;
const stepWhenSlow = step / 50;

/** Whether enough was learned to call anything unusual. */
export function isLearned({ seen }: LatencyBaseline): boolean {
  return seen >= patience;
}

/** Whether a latency is far out of what is usual. Never before enough was learned. */
export function isSlow(baseline: LatencyBaseline, latencyMs: number): boolean {
  if (!isLearned(baseline) || latencyMs - usual(baseline) < atLeastMore) return false;
  const { median, spread } = baseline;
  const bound = Math.min(surelyTimes, Math.max(atLeastTimes, atLeastSpreads * spread));
  return Math.log(latencyMs) - median > bound;
}

/** Learns from one result. */
export function learn(baseline: LatencyBaseline, latencyMs: number): LatencyBaseline {
  const value = Math.log(Math.max(latencyMs, 0.01));
  if (baseline.seen === 0) return { seen: 1, median: value, spread: freshBaseline.spread };
  const size = isSlow(baseline, latencyMs) ? stepWhenSlow : Math.max(step, 1 / (baseline.seen + 1));
  const distance = Math.abs(value - baseline.median);
  return {
    seen: Math.min(patience, baseline.seen + 1),
    median: baseline.median + size * Math.max(-1, Math.min(1, value - baseline.median)),
    spread: Math.max(0.02, baseline.spread + size * Math.sign(distance - baseline.spread) * baseline.spread),
  };
}

/** The usual latency, in milliseconds. */
export function usual({ median }: LatencyBaseline): number {
  return Math.exp(median);
}
