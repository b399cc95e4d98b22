import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, percentile } from './quantile.ts';

const numbers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 });

describe('median', () => {
  it('is the value in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it('is halfway between the two in the middle of an even number', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('is not a number where nothing was measured', () => {
    expect(median([])).toBeNaN();
  });

  it('leaves as many values below as above, and the values as they were', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const before = [...values];
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
        expect(values).toEqual(before);
      }),
    );
  });
});

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);

  it('is the value that so many do not exceed', () => {
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
  });

  it('reaches from the least to the greatest', () => {
    expect(percentile(hundred, 0)).toBe(1);
    expect(percentile(hundred, 1)).toBe(100);
  });

  it('is not a number where nothing was measured', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});
