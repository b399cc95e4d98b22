import { expect, it } from 'vitest';
import { checksum } from './json.ts';

it('is the same for the same values, in whatever order their fields are', () => {
  expect(checksum({ a: 1, b: { c: [1, 2], d: undefined } })).toBe(checksum({ b: { c: [1, 2] }, a: 1 }));
  expect(checksum({ a: 1 })).not.toBe(checksum({ a: '1' }));
  expect(checksum([1, 2])).not.toBe(checksum([2, 1]));
});

it('fits into a label', () => {
  expect(checksum('x'.repeat(10_000))).toMatch(/^[0-9a-f]{32}$/);
});
