import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronTimes } from './cron-times.ts';

const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
const at = (text: string) => Date.parse(text);

describe('the times of a cron expression', () => {
  it('come after a time, or up to and including it', () => {
    const times = cronTimes('*/15 * * * *', 'UTC');
    expect(iso(times.after(at('2026-05-01T10:15:00Z')))).toBe('2026-05-01T10:30:00.000Z');
    expect(iso(times.after(at('2026-05-01T10:14:59.999Z')))).toBe('2026-05-01T10:15:00.000Z');
    expect(iso(times.upTo(at('2026-05-01T10:15:00Z')))).toBe('2026-05-01T10:15:00.000Z');
    expect(iso(times.upTo(at('2026-05-01T10:14:59.999Z')))).toBe('2026-05-01T10:00:00.000Z');
  });

  it('are those of the time zone, also where clocks change', () => {
    const times = cronTimes('30 2 * * *', 'Europe/Berlin');
    const from = (text: string) => {
      const first = times.after(at(text));
      return [first, times.after(first ?? 0)].map(iso);
    };
    // There is no half past two on this day: it comes as soon as there is a time again.
    expect(from('2026-03-28T12:00:00Z')).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']);
    // There are two on this day: only the first counts.
    expect(from('2026-10-24T12:00:00Z')).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
  });

  it('may be seconds apart, have a nickname, or never come', () => {
    expect(iso(cronTimes('*/20 * * * * *', 'UTC').after(at('2026-05-01T10:00:01Z')))).toBe('2026-05-01T10:00:20.000Z');
    expect(iso(cronTimes('@daily', 'UTC').after(at('2026-05-01T10:00:01Z')))).toBe('2026-05-02T00:00:00.000Z');
    expect(cronTimes('0 0 30 2 *', 'UTC').after(at('2026-05-01T10:00:01Z'))).toBeUndefined();
  });

  it.each([
    ['61 * * * *', 'UTC', 'minute'],
    ['every day', 'UTC', 'five'],
    ['* * * * *', 'Mars/Olympus', 'Mars/Olympus'],
    ['', 'UTC', 'parts'],
  ])('can not be had of "%s" in %s, and the error says why', (expression, zone, why) => {
    expect(() => cronTimes(expression, zone)).toThrow(
      expect.objectContaining({ code: 'KUR_RUNTIME_BAD_SCHEDULE', message: expect.stringContaining(why) }),
    );
  });

  it('are the same whatever was asked before', () => {
    const moment = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
    const expressions = fc.constantFrom('*/7 * * * *', '0 9-17 * * 1-5', '30 2 * * *', '0 0 1 * *');
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata');
    fc.assert(
      fc.property(expressions, zones, fc.array(moment, { minLength: 1, maxLength: 8 }), (expression, zone, moments) => {
        const times = cronTimes(expression, zone);
        for (const time of moments) {
          const next = times.after(time) ?? 0;
          expect(next).toBeGreaterThan(time);
          // Nothing lies between.
          expect(times.upTo(next - 1) ?? 0).toBeLessThanOrEqual(time);
          expect(times.upTo(next)).toBe(next);
        }
      }),
    );
  });
});
