import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareResourceVersions, resourceVersionsAreOrdered } from './resource-version.ts';

it('orders them as numbers of any size', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (a, b) => {
      const expected = a < b ? -1 : a > b ? 1 : 0;
      expect(Math.sign(compareResourceVersions(String(a), String(b)) ?? Number.NaN)).toBe(expected);
    }),
  );
});

it.each([
  ['', '1'],
  ['01', '1'],
  ['abc', 'abd'],
  ['-1', '1'],
])('says nothing of %j and %j', (a, b) => {
  expect(compareResourceVersions(a, b)).toBeUndefined();
});

it('equality holds for anything', () => {
  expect(compareResourceVersions('abc', 'abc')).toBe(0);
});

it.each([
  ['1.34.9', 1, 34, false],
  ['1.35.0', 1, 35, true],
  ['2.0.0', 2, 0, true],
])('%s: order is promised since 1.35', (text, major, minor, expected) => {
  expect(resourceVersionsAreOrdered({ major, minor, text })).toBe(expected);
});
