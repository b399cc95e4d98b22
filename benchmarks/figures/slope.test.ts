import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growthOf, slope } from './slope.ts';

const line = (rise: number, start: number, length = 10) =>
  Array.from({ length }, (_, x) => ({ x, y: start + rise * x }));

describe('slope', () => {
  it('is the rise of a line, wherever it starts', () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -500, max: 500 }), (rise, start) => {
        expect(slope(line(rise, start))).toBeCloseTo(rise);
      }),
    );
  });

  it('sees the trend through noise', () => {
    const noisy = line(2, 100, 100).map(({ x, y }) => ({ x, y: y + (x % 2 === 0 ? 5 : -5) }));
    expect(slope(noisy)).toBeCloseTo(2, 1);
  });

  it('is not a number for one point', () => {
    expect(slope([{ x: 1, y: 1 }])).toBeNaN();
  });
});

describe('growthOf', () => {
  it('calls a level line flat', () => {
    expect(growthOf(line(0, 150)).verdict).toBe('flat');
  });

  it('calls what shrinks flat', () => {
    expect(growthOf(line(-3, 150)).verdict).toBe('flat');
  });

  it('calls a leak growing, and says how much it added', () => {
    const { verdict, slope: rise, share } = growthOf(line(3, 100));
    expect(verdict).toBe('growing');
    expect(rise).toBeCloseTo(3);
    expect(share).toBeCloseTo(27 / 113.5);
  });

  it('bears what is within tolerance', () => {
    expect(growthOf(line(1, 1000), 0.05).verdict).toBe('flat');
    expect(growthOf(line(1, 1000), 0.001).verdict).toBe('growing');
  });
});
