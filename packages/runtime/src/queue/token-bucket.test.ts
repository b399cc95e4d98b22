import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { TokenBucket } from './token-bucket.ts';

describe('TokenBucket', () => {
  it('lets a burst through, then one every so often', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, new ManualClock());
    expect([1, 2, 3, 4, 5].map(() => bucket.reserve())).toEqual([0, 0, 0, 100, 200]);
  });

  it('fills up again with time, but never above the burst', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, clock);
    for (let i = 0; i < 4; i++) bucket.reserve();
    await clock.advance(60_000);
    expect([1, 2, 3].map(() => bucket.reserve())).toEqual([0, 0, 100]);
  });

  it('never gives more in any stretch of time than burst and rate allow', async () => {
    const pauses = fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(pauses, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 10 }), async (...given) => {
        const [waits, perSecond, burst] = given;
        const clock = new ManualClock();
        const bucket = new TokenBucket({ perSecond, burst }, clock);
        const times: number[] = [];
        for (const wait of waits) {
          await clock.advance(wait);
          times.push(clock.now() + bucket.reserve());
        }
        for (const [i, from] of times.entries()) {
          const later = times.slice(i);
          for (const [n, to] of later.entries()) {
            expect(n + 1).toBeLessThanOrEqual(burst + ((to - from) / 1000) * perSecond + 1e-6);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    { perSecond: 0, burst: 1 },
    { perSecond: 1, burst: 0 },
    { perSecond: Number.NaN, burst: 1 },
  ])('refuses %j', (options) => {
    expect(() => new TokenBucket(options, new ManualClock())).toThrow(
      expect.objectContaining({ code: 'KUR_RUNTIME_BAD_RATE' }),
    );
  });
});
