import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../simulation/random.ts';
import { freshBaseline, isSlow, type LatencyBaseline, learn, usual } from './latency-baseline.ts';

/** Latencies around a usual one, spread by a factor, as they are. */
function latency(random: Random, around: number, factor = 1.3): number {
  const spread = (random.next() + random.next() + random.next() - 1.5) * 2;
  return around * factor ** spread;
}

function learned(random: Random, around: number, results: number, from: LatencyBaseline = freshBaseline) {
  let baseline = from;
  for (let count = 0; count < results; count++) baseline = learn(baseline, latency(random, around));
  return baseline;
}

describe('latency baseline', () => {
  it('learns what is usual, within a fifth', () => {
    for (const around of [2, 20, 300]) {
      expect(usual(learned(createRandom(around), around, 200)) / around).toBeCloseTo(1, 0);
    }
  });

  it('calls nothing slow before it has learned', () => {
    expect(isSlow(learned(createRandom(1), 10, 29), 10_000)).toBe(false);
  });

  it('calls ten times the usual slow, and not what is within the spread', () => {
    const random = createRandom(2);
    const baseline = learned(random, 40, 100);
    expect(isSlow(baseline, 400)).toBe(true);
    for (let count = 0; count < 10_000; count++) expect(isSlow(baseline, latency(random, 40))).toBe(false);
  });

  it('does not mind a few milliseconds, whatever the factor', () => {
    expect(isSlow(learned(createRandom(3), 1, 100), 30)).toBe(false);
  });

  it('keeps its head when every third answer takes a minute', () => {
    const random = createRandom(4);
    let baseline = learned(random, 40, 100);
    for (let count = 0; count < 300; count++) baseline = learn(baseline, count % 3 ? latency(random, 40) : 60_000);
    expect(usual(baseline)).toBeLessThan(60);
    expect(isSlow(baseline, 400)).toBe(true);
  });

  it('takes a lasting change for the new usual in the end', () => {
    const random = createRandom(5);
    let baseline = learned(random, 40, 100);
    for (let count = 0; count < 20_000; count++) baseline = learn(baseline, latency(random, 400));
    expect(isSlow(baseline, 400)).toBe(false);
  });
});
