import { expect, it } from 'vitest';
import { age, duration, mebibytes } from './amounts.ts';

it.each([
  [0, '0.0 s'],
  [840, '0.8 s'],
  [9_960, '10 s'],
  [59_400, '59 s'],
  [59_900, '1 min 0 s'],
  [190_000, '3 min 10 s'],
  [3_900_000, '1 h 5 min'],
])('writes %d ms as %s', (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

it.each([
  [45, '45s'],
  [119, '119s'],
  [120, '2m'],
  [3 * 3600, '3h'],
  [50 * 3600, '2d'],
  [-5, '0s'],
])('gives an age of %d s as %s', (seconds, text) => {
  const now = Date.parse('2026-05-01T12:00:00Z');
  expect(age(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
});

it('rounds memory to whole mebibytes', () => {
  expect(mebibytes(305.4 * 2 ** 20)).toBe('305 MiB');
});
