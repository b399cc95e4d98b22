import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBackoff } from './backoff.ts';

describe('createBackoff', () => {
  it('doubles from the first wait to the longest', () => {
    const wait = createBackoff({ first: '10ms', longest: '50ms', jitter: 0 });
    expect([1, 2, 3, 4, 100_000].map(wait)).toEqual([10, 20, 40, 50, 50]);
  });

  it('stays within its share of chance, however often it fails', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), share, share, (failures, jitter, chance) => {
        const full = createBackoff({ jitter: 0 })(failures);
        const wait = createBackoff({ jitter }, () => chance)(failures);
        expect(wait).toBeLessThanOrEqual(full);
        expect(wait).toBeGreaterThanOrEqual(full * (1 - jitter) - 1e-9);
      }),
    );
  });

  it.each([{ first: 0 }, { first: '2s', longest: '1s' }, { jitter: 1.5 }, { jitter: Number.NaN }])(
    'refuses %j',
    (options) => {
      expect(() => createBackoff(options)).toThrow(expect.objectContaining({ code: 'KUR_RUNTIME_BAD_BACKOFF' }));
    },
  );
});
