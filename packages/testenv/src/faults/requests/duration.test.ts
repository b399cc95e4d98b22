import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, toMilliseconds } from './duration.ts';

describe('a duration', () => {
  it.each([
    [250, 250],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5s', 1500],
    ['5m', 300_000],
    ['1h', 3_600_000],
  ])('%j is %i ms', (duration, milliseconds) => expect(toMilliseconds(duration)).toBe(milliseconds));

  it.each(['', '30', '30 s', '-1s', '0s', '1d', 's', 0, -5, Number.NaN, Number.POSITIVE_INFINITY, '1000h', null, {}])(
    '%j is none',
    (value) => expect(toMilliseconds(value)).toBeUndefined(),
  );

  it('is written so that reading it gives the same again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (milliseconds) => {
        expect(toMilliseconds(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
    expect([1, 1500, 30_000, 90_000, 7_200_000].map(formatDuration)).toEqual(['1ms', '1500ms', '30s', '90s', '2h']);
  });
});
