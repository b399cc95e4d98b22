import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSpec } from '../spec-defaults.ts';
import { hour, minute, second } from '../time.ts';
import { nextCheck, type PaceState, slowestAllowed } from './next-check.ts';

const check = checkSpec({ name: 'http', period: 10 * second, timeout: second, failAfter: 3 });
const now = 1_000_000 * second;
const calm: PaceState = {
  key: 'web/a/http',
  knownSince: now - hour,
  lastAt: now,
  calmSince: now - hour,
  suspect: false,
  repairing: false,
  deploying: false,
};

function wait(change: Partial<PaceState>, spec = check): number {
  return nextCheck(spec, { ...calm, ...change }, now).at - now;
}

describe('nextCheck', () => {
  it('looks at once when something has happened since the last look', () => {
    expect(nextCheck(check, { ...calm, lastAt: now - second, eventAt: now }, now)).toEqual({
      at: now,
      because: 'event',
    });
    expect(nextCheck(check, { ...calm, eventAt: now - second }, now).because).toBe('calm');
  });

  it('looks more often while something is suspect or being repaired', () => {
    expect(wait({ suspect: true })).toBeLessThanOrEqual(check.fastest);
    expect(wait({ repairing: true })).toBeLessThanOrEqual(check.fastest);
    expect(wait({})).toBeGreaterThan(check.period);
  });

  it('slows down the longer all is well, and not beyond its bound', () => {
    const after = (length: number) => wait({ calmSince: now - length });
    expect(after(0)).toBeLessThanOrEqual(check.period);
    expect(after(7 * minute)).toBeGreaterThan(after(4 * minute));
    expect(after(100 * hour)).toBeLessThanOrEqual(check.slowest);
  });

  it('is in no hurry during start-up and while somebody deploys, whatever is suspected', () => {
    expect(nextCheck(check, { ...calm, suspect: true, graceUntil: now + minute }, now).because).toBe('start-up');
    expect(nextCheck(check, { ...calm, suspect: true, deploying: true }, now).because).toBe('deploy');
    expect(wait({ suspect: true, graceUntil: now + 2 * second })).toBe(2 * second);
  });

  it('does not begin with all checks at once', () => {
    const { lastAt: _, ...fresh } = calm;
    const starts = Array.from({ length: 1000 }, (_, index) => {
      return nextCheck(check, { ...fresh, key: `web/${index}/http`, knownSince: now }, now).at - now;
    });
    const inFirstHalf = starts.filter((start) => start < check.fastest / 2).length;
    expect(inFirstHalf).toBeGreaterThan(400);
    expect(inFirstHalf).toBeLessThan(600);
    expect(Math.max(...starts)).toBeLessThanOrEqual(check.fastest);
  });

  it('confirms every fault within failAfter × period + timeout, however long the calm before it', () => {
    const spec = fc.record({
      name: fc.constant('http'),
      period: fc.integer({ min: 1, max: 60 }).map((seconds) => seconds * second),
      timeout: fc.integer({ min: 100, max: 1000 }),
      failAfter: fc.integer({ min: 1, max: 10 }),
      slowest: fc.integer({ min: 1, max: 600 }).map((seconds) => seconds * second),
    });
    fc.assert(
      fc.property(spec, fc.nat({ max: 100 * hour }), fc.nat({ max: 999 }), (input, calmFor, late) => {
        const tried = checkSpec(input);
        // The fault begins just after a run that was still well.
        let begins = nextCheck(tried, { ...calm, calmSince: now - calmFor, key: `${late}` }, now).at;
        for (let failure = 1; failure < tried.failAfter; failure++) {
          const next = nextCheck(
            tried,
            { ...calm, lastAt: begins, suspect: true, key: `${late}` },
            begins + tried.timeout,
          ).at;
          begins = next;
        }
        const confirmedAt = begins + tried.timeout;
        expect(confirmedAt - now).toBeLessThanOrEqual(tried.failAfter * tried.period + tried.timeout + 1);
        expect(slowestAllowed(tried)).toBeGreaterThanOrEqual(tried.period);
      }),
    );
  });
});
