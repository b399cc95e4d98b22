import { expect, it } from 'vitest';
import type { Verdict } from '../../e2e/support/etcd-judge.ts';
import { figuresOf } from './figures.ts';
import type { Outcome } from './trial.ts';

const verdict = (fields: Partial<Verdict>): Verdict => ({
  violation: '',
  operations: 0,
  failed: 0,
  watchEvents: 0,
  acknowledged: 0,
  lost: 0,
  gapMs: 0,
  gapAt: 0,
  took: 0,
  ...fields,
});
const outcome = (scenario: string, fields: Partial<Outcome>): Outcome => ({
  seed: 1,
  scenario,
  alone: true,
  createdS: 8,
  ...fields,
});

it('has medians of what was measured, counts of what went wrong, and nothing of what was not done', () => {
  const figures = figuresOf(
    [
      outcome('pod-follower', { recoveredS: 4, verdict: verdict({ gapMs: 100 }) }),
      outcome('pod-follower', { recoveredS: 8, verdict: verdict({ gapMs: 300 }), createdS: 12 }),
      outcome('loss', { verdict: verdict({ violation: 'watch', lost: 2 }), createdS: 9 }),
      outcome('partition', { wrong: 'it did not recover', createdS: 9 }),
      // What others ran beside is not measured, but counts.
      outcome('pod-follower', {
        alone: false,
        recoveredS: 60,
        verdict: verdict({ gapMs: 9000, lost: 1 }),
        createdS: 90,
      }),
    ],
    undefined,
    [{ points: 7, failed: 1, text: '' }],
  );
  expect(Object.fromEntries(figures.map(({ metric, value }) => [metric, value]))).toEqual({
    create_s: 9,
    write_gap_follower_ms: 200,
    replace_s: 6,
    runs: 4,
    runs_not_judged: 1,
    lost_writes: 3,
    violations: 1,
    crash_points: 7,
    crash_points_failed: 1,
  });
});
