import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

it.each([
  ['0', 0],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['250ms', 250],
  ['-2m', -120_000],
  ['100us', 0.1],
  ['.5h', 1_800_000],
  ['1h1m1s1ms', 3_661_001],
])('%s is %d ms', (text, expected) => {
  expect(parseDuration(text)).toBeCloseTo(expected, 6);
});

it.each(['', '5', 's', '1d', '1h 30m', '1,5s', 'h1', '--1s'])('refuses %j', (text) => {
  expect(() => parseDuration(text)).toThrow(/is not a duration/);
});

// From `time.Duration.String()` of Go.
it.each([
  [0, '0s'],
  [1, '1ms'],
  [1_500, '1.5s'],
  [60_000, '1m0s'],
  [5_400_000, '1h30m0s'],
  [-90_000, '-1m30s'],
  [0.0015, '1.5µs'],
])('%d ms is written as %s', (duration, text) => {
  expect(formatDuration(duration)).toBe(text);
});

it('what is written is understood again', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (duration) => {
      expect(parseDuration(formatDuration(duration))).toBeCloseTo(duration, 3);
    }),
  );
});
