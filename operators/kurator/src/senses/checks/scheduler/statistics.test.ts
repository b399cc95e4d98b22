import { expect, it } from 'vitest';
import { LatenessHistogram, latenessAt } from './statistics.ts';

it('tells below which bound a share of all starts were, to within a fifth', () => {
  const histogram = new LatenessHistogram();
  for (let i = 1; i <= 1000; i++) histogram.observe(i / 10);
  for (const share of [0.5, 0.9, 0.99]) {
    expect(latenessAt(histogram.counts, share)).toBeGreaterThanOrEqual(share * 100);
    expect(latenessAt(histogram.counts, share)).toBeLessThanOrEqual(share * 100 * 1.2);
  }
});

it('counts what is early as on time, and what is very late as well', () => {
  const histogram = new LatenessHistogram();
  for (const lateness of [-1, 0, 1e12]) histogram.observe(lateness);
  expect(histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(latenessAt(histogram.counts, 0.5)).toBe(0.5);
});

it('is 0 when nothing was counted', () => {
  expect(latenessAt(new LatenessHistogram().counts, 0.99)).toBe(0);
});
