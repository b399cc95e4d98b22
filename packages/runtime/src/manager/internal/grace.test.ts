import { expect, it } from 'vitest';
import { drainTime } from './lifecycle.ts';

it('leaves five seconds of the thirty that Kubernetes gives', () => expect(drainTime(undefined, {})).toBe(25_000));

it('follows what the pod says of its grace period', () => {
  expect(drainTime('2m', {})).toBe(115_000);
  expect(drainTime(undefined, { TERMINATION_GRACE_PERIOD_SECONDS: '60' })).toBe(55_000);
  expect(drainTime('6s', { TERMINATION_GRACE_PERIOD_SECONDS: '60' })).toBe(5_000);
  expect(drainTime(0, {})).toBe(0);
});

it('names the variable that is wrong', () => {
  expect(() => drainTime(undefined, { TERMINATION_GRACE_PERIOD_SECONDS: '30s' })).toThrow('TERMINATION_GRACE_PERIOD');
});
