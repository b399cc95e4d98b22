/**
 * How quickly one target answers one check, and whether it is out of step: slower than is usual for itself, for a whole
 * row of answers, while the others of its service answer as usual. Slowness that they share is load, or the machine's, or
 * the checker's own, and no reason to touch one of them.
 */
import type { CheckResult } from '../observation.ts';
import type { Millis } from '../time.ts';
import { freshBaseline, isLearned, isSlow, type LatencyBaseline, learn, usual } from './latency-baseline.ts';

/** What is remembered of how long one target's answers took. */
export interface Tempo {
  /** Its own: what is usual for one instance need not be for another. */
  readonly baseline: LatencyBaseline;
  /** The last ones, in milliseconds, the newest last. */
  readonly recent: readonly number[];
  /** Answers in a row that were far out of the baseline, and when the first of them was. */
  readonly slow: number;
  readonly slowSince?: Millis;
}

/** Nothing measured yet. */
export const freshTempo: Tempo = { baseline: freshBaseline, recent: [], slow: 0 };

/** A window: fewer slow answers in a row may be chance, or what all suffer from for a moment. */
export const windowOfAnswers = 10;
const kept = 2 * windowOfAnswers;
/** Answers of others that were as usual meanwhile. Where there is only one other it takes two windows. */
const comparedWith = 2 * windowOfAnswers;
/** Of the answers of one that is as usual, this share may be slow all the same. */
const strayShare = 0.1;
/** Another's answer is as slow if it exceeds its usual by this much of what the suspect's quickest one does. */
const alike = 0.5;

/** Takes one result in. Where it is the checker that may have been slow, or there was no answer at all, it says nothing. */
export function timed(tempo: Tempo, { outcome, errorKind, latencyMs, heldUpMs = 0, at }: CheckResult): Tempo {
  // One who did not answer in time is at least that slow, but nothing to learn from.
  const isLate = outcome === 'failing' && errorKind !== undefined && errorKind.endsWith('-timeout');
  if (outcome !== 'healthy' && !isLate) return tempo;
  const { baseline, slow, slowSince = at } = tempo;
  // The truth is between what was measured with and without the time in which nobody looked.
  const wasSlow = isSlow(baseline, latencyMs);
  if (wasSlow !== isSlow(baseline, latencyMs + heldUpMs)) return tempo;
  const measured = {
    baseline: isLate ? baseline : learn(baseline, latencyMs),
    recent: [...tempo.recent.slice(1 - kept), latencyMs],
  };
  return wasSlow ? { ...measured, slow: slow + 1, slowSince } : { ...measured, slow: 0 };
}

/** What is usual stays known; the row is over. */
export function paused({ baseline }: Tempo): Tempo {
  return { ...freshTempo, baseline };
}

/** Whether it alone is slow, as far as can be told by the others: at least half of them answer as usual. */
export function isOutOfStep(mine: Tempo, others: readonly Tempo[]): boolean {
  return [windowOfAnswers, 2 * windowOfAnswers].some((length) => {
    if (mine.slow < length) return false;
    const compared = others.filter(({ recent }) => recent.length >= length);
    const excess = Math.min(...mine.recent.slice(-length)) - usual(mine.baseline);
    const asUsual = compared.filter((other) => isAsUsual(other, mine, excess, length));
    return 2 * asUsual.length >= compared.length && asUsual.length * length >= comparedWith;
  });
}

function isAsUsual({ recent, baseline }: Tempo, mine: Tempo, excess: number, length: number): boolean {
  const bound = usual(isLearned(baseline) ? baseline : mine.baseline) + alike * excess;
  return recent.slice(-length).filter((latencyMs) => latencyMs >= bound).length <= strayShare * length;
}
