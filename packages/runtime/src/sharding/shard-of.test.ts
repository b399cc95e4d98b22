import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shardOf } from './shard-of.ts';

const keys = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i));

describe('the shard of a key', () => {
  it('never changes: replicas of different versions must agree', () => {
    const shards = ['default/web', 'default/web-1', 'default/web-2', 'node-1', ''].map((key) => shardOf(key, 64));
    expect(shards).toEqual([36, 19, 8, 36, 11]);
  });

  it('is one of those there are', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1024 }), (key, count) => {
        const shard = shardOf(key, count);
        expect(Number.isInteger(shard) && shard >= 0 && shard < count).toBe(true);
        expect(shardOf(key, count)).toBe(shard);
      }),
    );
  });

  // Chi-square over the shards: its mean is their number less one, and five deviations above that is no accident.
  it.each([
    ['numbered', (i: number) => `default/web-${i}`],
    ['in many namespaces', (i: number) => `team-${i % 97}/service-${i}`],
    ['of the whole cluster', (i: number) => `node-${String(i).padStart(6, '0')}`],
    ['with a hash at their end', (i: number) => `shop/cart-${(i * 2_654_435_761) % 2 ** 32}`],
  ])('is spread evenly over names that are %s', (_, name) => {
    for (const count of [8, 64, 100]) {
      const counts = new Array<number>(count).fill(0);
      for (const key of keys(20_000, name)) counts[shardOf(key, count)] = (counts[shardOf(key, count)] ?? 0) + 1;
      const expected = 20_000 / count;
      const chiSquare = counts.reduce((sum, observed) => sum + (observed - expected) ** 2 / expected, 0);
      expect(chiSquare).toBeLessThan(count - 1 + 5 * Math.sqrt(2 * (count - 1)));
    }
  });
});
