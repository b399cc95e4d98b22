import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyNumber, collect, namespaceName, platforms, timeSpan, wholeNumber } from './options.ts';

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

describe('timeSpan', () => {
  it.each(['0', '2m', '1h30m', '1.5s', '250ms'])('takes %s as it is', (text) => expect(timeSpan(text)).toBe(text));
  it.each(['', '5', '-2m', '1d', 'soon'])('refuses %j', (text) => {
    expect(() => timeSpan(text)).toThrow('Use a duration such as 90s, 2m or 1h30m.');
  });
});

describe('namespaceName', () => {
  it.each(['shop', 'web-1', '1'])('takes %s', (text) => expect(namespaceName(text)).toBe(text));
  it.each(['', 'Shop', 'a_b', '-a', 'a-', 'a.b', 'a'.repeat(64)])('refuses %j', (text) => {
    expect(() => namespaceName(text)).toThrow('Use small letters, digits and dashes');
  });
});

describe('platforms', () => {
  it('takes several, each once, and more of them', () => {
    const amd64 = { os: 'linux', architecture: 'amd64' };
    expect(platforms('linux/amd64,linux/arm/v7', [amd64])).toEqual([
      amd64,
      { os: 'linux', architecture: 'arm', variant: 'v7' },
    ]);
  });

  it.each(['', 'amd64', 'linux', 'linux/x86_64', 'windows/amd64', 'linux/amd64, linux/arm64', 'linux/arm'])(
    'refuses %j',
    (text) => expect(() => platforms(text)).toThrow('linux/amd64,linux/arm64'),
  );
});

describe('collect', () => {
  it('keeps the order in which options are given', () => {
    expect(collect('b', collect('a'))).toEqual(['a', 'b']);
  });
});
