import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Histogram } from './histogram.ts';

it('counts each value in every bucket that it fits in', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 40 }),
      fc.array(fc.double({ min: 0, max: 200, noNaN: true })),
      (unsorted, values) => {
        const bounds = unsorted.toSorted((a, b) => a - b);
        const histogram = new Histogram(bounds);
        for (const value of values) histogram.observe(value);
        const samples = [...histogram.samples({ a: 'b' })];
        const buckets = samples.slice(0, bounds.length);
        expect(buckets.map(({ value }) => value)).toEqual(
          bounds.map((bound) => values.filter((value) => value <= bound).length),
        );
        expect(samples.at(-1)).toEqual({ suffix: '_count', labels: { a: 'b' }, value: values.length });
        expect(samples.at(-3)).toMatchObject({ labels: { a: 'b', le: '+Inf' }, value: values.length });
      },
    ),
  );
});
