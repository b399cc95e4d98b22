import { expect, it } from 'vitest';
import { since } from './moments.ts';

const now = Date.parse('2026-02-01T00:00:00Z');

it.each([
  ['90s', now - 90_000],
  ['1.5h', now - 5_400_000],
  ['7d', now - 7 * 86_400_000],
  ['2026-01-31', now - 86_400_000],
  ['2026-01-31T23:00:00Z', now - 3_600_000],
])('reads %j', (text, moment) => {
  expect(since(text, now)).toBe(moment);
});

it.each(['', 'yesterday', '5', '5 h', '-1h', '2026-13-45'])('refuses %j, and says what it takes', (text) => {
  expect(() => since(text, now)).toThrow('Use a length of time');
});
