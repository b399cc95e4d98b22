import { describe, expect, it } from 'vitest';
import { allPlans, asked, planText, shareOf } from './plan.ts';

const writes = [
  'apply deployments.apps/web #1',
  'apply deployments.apps/web #2',
  'patch myapps.example.com/web/status #1',
];
const all = allPlans(writes);

it('has three places for each write', () => {
  expect(all.map(planText).slice(0, 3)).toEqual([
    'before apply deployments.apps/web #1',
    'during apply deployments.apps/web #1',
    'after apply deployments.apps/web #1',
  ]);
  expect(all).toHaveLength(9);
});

describe('a share of all places', () => {
  it('has something of each write, in the order of all', () => {
    for (const seed of [1, 2, 3, 4]) {
      const part = shareOf(all, 1 / 3, seed);
      expect(part.map(({ write }) => write)).toEqual(writes);
    }
  });

  it('is the same for the same seed, and another for another', () => {
    const parts = [1, 2, 3, 4, 5, 6].map((seed) => shareOf(all, 0.5, seed).map(planText).join());
    expect(shareOf(all, 0.5, 1).map(planText).join()).toBe(parts[0]);
    expect(new Set(parts).size).toBeGreaterThan(1);
  });

  it('is all of them, or at least one', () => {
    expect(shareOf(all, 1, 7)).toEqual(all);
    expect(shareOf(all, 0.001, 7)).toHaveLength(1);
  });
});

describe('the variable', () => {
  it('asks for nothing, for all, for one, or for another test', () => {
    expect(asked('myapp', all, '')).toBeUndefined();
    expect(asked('myapp', all, 'all')).toEqual(all);
    expect(asked('myapp', all, 'myapp: during apply deployments.apps/web #2')).toEqual([
      { when: 'during', write: writes[1] },
    ]);
    expect(asked('myapp', all, 'webserver: during apply deployments.apps/web #2')).toBe('skip');
  });

  it('is refused with a place that there is not, and says which there are', () => {
    expect(() => asked('myapp', all, 'myapp: during apply pods/web #9')).toThrow(
      expect.objectContaining({
        code: 'KUR_TESTENV_CRASH_PLAN',
        remedy: expect.stringContaining('before apply deployments.apps/web #1'),
      }),
    );
  });
});
