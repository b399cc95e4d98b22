import { expect, it } from 'vitest';
import { timeFor } from './deadline.ts';

const asked = (query: string) => timeFor(new URLSearchParams(query), 10_000);

it('leaves the answer time for the way back', () => {
  expect(asked('timeout=10s')).toBe(9_000);
  expect(asked('timeout=1s')).toBe(800);
  expect(asked('timeout=2.5s')).toBe(2_000);
});

it('takes the default where the caller does not say, or says nonsense', () => {
  expect(asked('')).toBe(9_000);
  expect(asked('timeout=soon')).toBe(9_000);
  expect(asked('timeout=0s')).toBe(9_000);
});

it('never takes longer than any API server waits', () => {
  expect(asked('timeout=1h0m0s')).toBe(29_000);
});
