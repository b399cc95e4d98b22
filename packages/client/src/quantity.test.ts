import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatQuantity, parseQuantity, type QuantityFormat, quantityToInteger, quantityToNumber } from './quantity.ts';

const canonical = (text: string) => formatQuantity(parseQuantity(text));

describe('a quantity is written as the API server writes it', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['+1', '1'],
    ['1.', '1'],
    ['.5', '500m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1000000', '1M'],
    ['1Ki', '1Ki'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1023Ki', '1023Ki'],
    ['1.0001Ki', '1024102400u'],
    ['2e3', '2e3'],
    ['2E3', '2e3'],
    ['15e2', '1500'],
    ['1E', '1E'],
    ['1000E', '1000E'],
    ['5e-10', '1e-9'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['9999999Ei', '9223372036854775807'],
    ['-1Gi', '-1Gi'],
  ])('%s becomes %s', (text, written) => expect(canonical(text)).toBe(written));
});

it.each(['', ' ', '1 Gi', 'Gi', '.', '1e', '1ki', '1mi', '1gi', '0x10', '1,5', '--1', '1e1000000000', 'NaN', '1Zi'])(
  'refuses "%s" and says what a quantity looks like',
  (text) => expect(() => parseQuantity(text)).toThrow(/is not a quantity: write a number with an optional suffix/),
);

const formats: QuantityFormat[] = ['DecimalSI', 'BinarySI', 'DecimalExponent'];
const quantity = fc.record({
  nanos: fc.bigInt({ min: -(2n ** 63n - 1n) * 10n ** 9n, max: (2n ** 63n - 1n) * 10n ** 9n }),
  format: fc.constantFrom(...formats),
});
const roundQuantity = fc
  .tuple(fc.integer({ min: -5000, max: 5000 }), fc.nat({ max: 6 }), fc.constantFrom(...formats))
  .map(([mantissa, power, format]) => ({
    nanos: BigInt(mantissa) * 10n ** 9n * (format === 'BinarySI' ? 1024n : 1000n) ** BigInt(power),
    format,
  }))
  .filter(({ nanos }) => (nanos < 0n ? -nanos : nanos) <= (2n ** 63n - 1n) * 10n ** 9n);

describe('for every quantity', () => {
  it('writing and reading keeps the amount', () => {
    fc.assert(
      fc.property(fc.oneof(quantity, roundQuantity), (given) => {
        expect(parseQuantity(formatQuantity(given)).nanos).toBe(given.nanos);
      }),
    );
  });

  it('the canonical form is canonical', () => {
    fc.assert(
      fc.property(fc.oneof(quantity, roundQuantity), (given) => {
        const written = formatQuantity(given);
        // A number without a suffix reads as decimal: 5000 that was binary comes back as 5k, in Go too.
        const isBareBinary = given.format === 'BinarySI' && /^-?\d+$/.test(written);
        if (!isBareBinary) expect(canonical(written)).toBe(written);
        expect(written).not.toContain('.');
      }),
    );
  });

  it('a decimal reads as its exact value', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 9 }), (digits, places) => {
        const padded = digits.toString().padStart(places + 1, '0');
        const text = places === 0 ? padded : `${padded.slice(0, -places)}.${padded.slice(-places)}`;
        expect(parseQuantity(text).nanos).toBe(digits * 10n ** BigInt(9 - places));
      }),
    );
  });

  it('the whole number is the nearest one that is not smaller', () => {
    fc.assert(
      fc.property(quantity, (given) => {
        const whole = quantityToInteger(given);
        const excess = (whole < 0n ? -whole : whole) * 10n ** 9n - (given.nanos < 0n ? -given.nanos : given.nanos);
        expect(excess >= 0n && excess < 10n ** 9n).toBe(true);
      }),
    );
  });
});

it('turns quantities into numbers', () => {
  expect(quantityToNumber('100m')).toBe(0.1);
  expect(quantityToNumber('1.5Gi')).toBe(1.5 * 1024 ** 3);
  expect(quantityToNumber('-250m')).toBe(-0.25);
  expect(quantityToInteger('1.1')).toBe(2n);
});
