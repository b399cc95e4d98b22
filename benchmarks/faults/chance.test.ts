import { describe, expect, it } from 'vitest';
import { chance, oneOf } from './chance.ts';

describe('chance', () => {
  it('is the same for the same seed and purpose, and another for another', () => {
    expect(chance(1, 'hang')).toBe(chance(1, 'hang'));
    expect(new Set([chance(1, 'hang'), chance(2, 'hang'), chance(1, 'kill')]).size).toBe(3);
  });

  it('chooses each of several', () => {
    const chosen = Array.from({ length: 100 }, (_, seed) => oneOf(['a', 'b', 'c'], seed, 'pod'));
    expect(new Set(chosen)).toEqual(new Set(['a', 'b', 'c']));
    expect(oneOf([], 1, 'pod')).toBeUndefined();
  });
});
