import { duration } from '@kurator/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['250ms', 250],
    ['1h', 3_600_000],
    ['1.5h', 5_400_000],
    ['1.1s', 1100],
    ['2d', 172_800_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['30s1m', 90_000],
    ['500us', 0.5],
    ['0', 0],
    ['0s', 0],
    [1500, 1500],
    [0, 0],
  ])('reads %j as %d ms', (duration, milliseconds) => {
    expect(parseDuration(duration)).toBe(milliseconds);
  });

  it.each(['', ' ', '30', '30 s', 's', '-1s', '1e3ms', '٣s', -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %j, naming the field and what would be right',
    (duration) => {
      expect(() => parseDuration(duration, 'timeout')).toThrow(
        expect.objectContaining({
          code: 'KUR_RUNTIME_BAD_DURATION',
          message: expect.stringMatching(/^timeout: /),
          remedy: expect.stringContaining("'30s'"),
        }),
      );
    },
  );

  it('reads anything that formatDuration writes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 12 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });

  it('takes what a field made by duration() admits, and, but for days, nothing else', () => {
    const field = duration();
    const text = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.stringMatching(/^(?:[0-9]{1,3}(?:\.[0-9]{0,2})?(?:ns|us|µs|μs|ms|s|m|h|d)){0,4}$/),
      fc.stringMatching(/^[0-9dhmsnuµ.+-]{0,12}$/),
    );
    const isRead = (text: string) => {
      try {
        return parseDuration(text) >= 0;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(text, (text) => {
        fc.pre(!text.includes('d'));
        expect(isRead(text)).toBe(field.safeParse(text).success);
      }),
      { numRuns: 2_000 },
    );
  });

  it('answers any text with a number from 0, or with its own error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9dhms.]{0,12}$/)), (text) => {
        try {
          expect(parseDuration(text)).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toMatchObject({ code: 'KUR_RUNTIME_BAD_DURATION' });
        }
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [5, '5ms'],
    [999.6, '1s'],
    [90_000, '1m30s'],
    [86_400_000, '1d'],
  ])('writes %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
