import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyNumber, collect, wholeNumber } from './options.ts';

describe('wholeNumber', () => {
  it('takes every whole number within its limits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 900 }), (value) => {
        expect(wholeNumber(3, 900)(String(value))).toBe(value);
      }),
    );
  });

  it.each(['many', '', '-1', '1.5', '1e3', '0x10', ' 5', '2', '901'])('refuses %j and names the limits', (text) => {
    expect(() => wholeNumber(3, 900)(text)).toThrow('Use a whole number from 3 to 900.');
  });
});

describe('anyNumber', () => {
  it('takes decimals', () => {
    expect(anyNumber('12.5')).toBe(12.5);
  });

  it.each(['', 'half', '1,5', '30%'])('refuses %j', (text) => {
    expect(() => anyNumber(text)).toThrow('Use a number.');
  });
});

describe('collect', () => {
  it('keeps the order in which options are given', () => {
    expect(collect('b', collect('a'))).toEqual(['a', 'b']);
  });
});
