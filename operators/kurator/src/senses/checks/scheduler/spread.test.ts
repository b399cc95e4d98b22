import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDue, phaseOf } from './spread.ts';

describe('phases', () => {
  it('are spread evenly over the period, also for names that differ little', () => {
    const parts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const part = Math.floor(phaseOf({ target: `default/web-${i}`, check: 'http' }) * 10);
      parts[part] = (parts[part] ?? 0) + 1;
    }
    for (const count of parts) expect(count).toBeGreaterThan(850);
    for (const count of parts) expect(count).toBeLessThan(1150);
  });

  it('are the same each time, and differ between the checks of one target', () => {
    const key = { target: 'default/web-0', check: 'http' };
    expect(phaseOf(key)).toBe(phaseOf({ ...key }));
    expect(phaseOf(key)).not.toBe(phaseOf({ ...key, check: 'tcp' }));
  });
});

describe('the next time', () => {
  it('is one interval after the last, however late the last run was', () => {
    expect(nextDue(1000, 5000, 0, 1900)).toEqual({ due: 6000, missed: 0 });
  });

  it('is late rather than left out when the run took a little longer than the interval', () => {
    expect(nextDue(1000, 5000, 0, 6100)).toEqual({ due: 6000, missed: 0 });
  });

  it('leaves out whole periods, and says how many', () => {
    expect(nextDue(1000, 5000, 0, 17_000)).toEqual({ due: 16_000, missed: 2 });
  });

  it('is never more than an interval away, nor a whole one ago', () => {
    const numbers = [
      fc.nat(),
      fc.integer({ min: 1, max: 100_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(),
    ];
    fc.assert(
      fc.property(
        ...(numbers as [(typeof numbers)[0], (typeof numbers)[0], (typeof numbers)[0], (typeof numbers)[0]]),
        (last, interval, shorten, later) => {
          const now = last + later;
          const { due } = nextDue(last, interval, shorten, now);
          expect(due).toBeGreaterThan(now - interval - 1e-3);
          expect(due).toBeLessThanOrEqual(now + interval);
        },
      ),
    );
  });
});
