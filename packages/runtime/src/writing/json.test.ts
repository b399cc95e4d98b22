import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, fingerprintOf, sameJson } from './json.ts';

/** The same value with the fields of every object in the opposite order, and with fields that are undefined. */
function rearranged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rearranged);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, rearranged(field)]);
  return Object.fromEntries([...fields.reverse(), [`absent-${fields.length}`, undefined]]);
}

const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('comparing JSON', () => {
  it('calls values the same that are sent the same, whatever the order of their fields', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const other = rearranged(value);
        expect(sameJson(value, other)).toBe(true);
        expect(sameJson(other, value)).toBe(true);
        expect(fingerprintOf(other)).toBe(fingerprintOf(value));
        expect(JSON.parse(canonicalJson(other))).toEqual(sent(value));
      }),
    );
  });

  it('tells others apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = canonicalJson(a) === canonicalJson(b);
        expect(sameJson(a, b)).toBe(same);
        expect(fingerprintOf(a) === fingerprintOf(b)).toBe(same);
      }),
    );
  });

  it.each([
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: [] }, { a: {} }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [{ a: '1' }, { a: 1 }],
    [{}, null],
  ])('tells %j from %j', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
    expect(fingerprintOf(a)).not.toBe(fingerprintOf(b));
  });
});
