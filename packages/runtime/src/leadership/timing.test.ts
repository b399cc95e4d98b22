import { describe, expect, it } from 'vitest';
import { electionTiming } from './timing.ts';

describe("an election's timing", () => {
  it('is that of Kubernetes itself unless given', () => {
    expect(electionTiming()).toEqual({ leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 });
  });

  it('can be written as people write it', () => {
    expect(electionTiming({ leaseDuration: '1m', renewDeadline: '40s', retryPeriod: 5000 })).toEqual({
      leaseDuration: 60_000,
      renewDeadline: 40_000,
      retryPeriod: 5_000,
    });
  });

  it.each([
    ['leaseDuration', { leaseDuration: 15_500 }],
    ['leaseDuration', { leaseDuration: 'soon' }],
    ['renewDeadline', { renewDeadline: 15_000 }],
    ['renewDeadline', { leaseDuration: 10_000, renewDeadline: 9_500 }],
    ['retryPeriod', { retryPeriod: 9_000 }],
    ['retryPeriod', { retryPeriod: 0 }],
  ])('names %s where it does not fit: %o', (field, given) => {
    expect(() => electionTiming(given)).toThrow(field);
  });
});
