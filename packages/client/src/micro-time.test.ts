import fc from 'fast-check';
import { expect, it } from 'vitest';
import { microTime, parseMicroTime } from './micro-time.ts';

it('always has six digits', () => {
  expect(microTime(new Date('2026-01-02T03:04:05.678Z'))).toBe('2026-01-02T03:04:05.678000Z');
  expect(microTime(Date.parse('2026-01-02T03:04:05Z') + 0.001)).toBe('2026-01-02T03:04:05.000001Z');
  expect(microTime(-0.001)).toBe('1969-12-31T23:59:59.999999Z');
});

it('keeps every microsecond there and back', () => {
  const micros = fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') * 1000 });
  fc.assert(
    fc.property(micros, (value) => {
      expect(Math.round(parseMicroTime(microTime(value / 1000)) * 1000)).toBe(value);
    }),
  );
});

it.each([
  ['2026-01-02T03:04:05Z', 0],
  ['2026-01-02T03:04:05.5Z', 500],
  ['2026-01-02T05:04:05.678901+02:00', 678.901],
  ['2026-01-02T03:04:05.123456789Z', 123.456],
])('understands %s', (text, fraction) => {
  expect(parseMicroTime(text) - Date.parse('2026-01-02T03:04:05Z')).toBeCloseTo(fraction, 3);
});

it.each(['', 'yesterday', '2026-01-02', '2026-13-02T03:04:05Z'])('refuses %j', (text) => {
  expect(() => parseMicroTime(text)).toThrow(/is not a time/);
});
