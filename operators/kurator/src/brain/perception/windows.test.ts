import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { windowOfTrials } from './blips.ts';
import { type Count, closeWindow, tail, type Windows } from './windows.ts';

describe('tail', () => {
  it('is a probability that falls with what is asked for and rises with the share', () => {
    const trials = fc.integer({ min: 1, max: 300 });
    const share = fc.double({ min: 0.001, max: 0.4, noNaN: true });
    fc.assert(
      fc.property(trials, fc.nat({ max: 300 }), share, (n, k, p) => {
        const least = Math.min(k, n);
        const value = tail(n, least, p);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1 + 1e-12);
        expect(tail(n, least + 1, p)).toBeLessThanOrEqual(value + 1e-12);
        expect(tail(n, least, p + 0.05)).toBeGreaterThanOrEqual(value - 1e-12);
      }),
    );
  });

  it('agrees with sums done by hand', () => {
    expect(tail(3, 2, 0.5)).toBeCloseTo(0.5, 12);
    expect(tail(10, 10, 0.1)).toBeCloseTo(1e-10, 20);
    expect(tail(20, 5, 0.01)).toBeCloseTo(1.35e-6, 7);
  });
});

describe('an alarm', () => {
  const window = (wrong: number): Count => ({ trials: 40, wrong });
  const none: Windows<Count> = { windows: [], isAlarm: false };
  const after = (...wrong: number[]) => wrong.reduce((all, one) => closeWindow(all, window(one)), none);

  it('is raised by one window, or by a few that together can hardly be chance', () => {
    expect(after(0, 0, 10).isAlarm).toBe(true);
    expect([after(5), after(5, 5), after(5, 5, 5)].map(({ isAlarm }) => isAlarm)).toEqual([false, false, true]);
  });

  it('ends with a window as one who is well shows it, and is not raised again by what was before', () => {
    expect(after(20, 3).isAlarm).toBe(true);
    expect(after(20, 0)).toEqual({ windows: [window(0)], isAlarm: false });
    expect(after(20, 0, 2).isAlarm).toBe(false);
  });

  it('is only raised by what whoever counts takes for it', () => {
    expect(closeWindow(none, window(40), ({ trials, wrong }) => wrong < trials).isAlarm).toBe(false);
  });

  it('keeps three windows', () => {
    expect(after(0, 1, 0, 1).windows).toEqual([window(1), window(0), window(1)]);
  });
});

describe('how soon a share is found, in windows of thirty', () => {
  /** The probability that an alarm was raised within so many full windows: exact, by the counts of the last two. */
  function found(share: number, windows: number): number {
    const size = windowOfTrials;
    const odds = Array.from(
      { length: size + 1 },
      (_, wrong) => tail(size, wrong, share) - tail(size, wrong + 1, share),
    );
    let quiet = new Map<string, { kept: readonly Count[]; chance: number }>([['', { kept: [], chance: 1 }]]);
    for (let index = 0; index < windows; index++) {
      const next: typeof quiet = new Map();
      for (const { kept, chance } of quiet.values()) {
        for (const [wrong, odd] of odds.entries()) {
          const after = closeWindow({ windows: kept, isAlarm: false }, { trials: size, wrong });
          if (after.isAlarm) continue;
          const last = after.windows.slice(-2);
          const key = last.map((one) => one.wrong).join();
          next.set(key, { kept: last, chance: (next.get(key)?.chance ?? 0) + chance * odd });
        }
      }
      quiet = next;
    }
    return 1 - [...quiet.values()].reduce((total, { chance }) => total + chance, 0);
  }

  // The table in docs/explanation/healing.md: in percent, after 90, 300, 1,200 and 3,600 checks.
  it.each([
    [0.02, [0, 0, 0, 0]],
    [0.03, [0, 0, 0.1, 0.3]],
    [0.05, [0.3, 1.4, 6, 17.3]],
    [0.07, [2.8, 13.5, 47.6, 86.2]],
    [0.1, [20.4, 64.1, 98.8, 100]],
    [0.15, [72.9, 99.4, 100, 100]],
    [0.2, [96.5, 100, 100, 100]],
    [1 / 3, [100, 100, 100, 100]],
  ])('%d', (share, percents) => {
    expect([3, 10, 40, 120].map((windows) => Math.round(1000 * found(share, windows)) / 10)).toEqual(percents);
  });
});
