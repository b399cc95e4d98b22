import { describe, expect, it } from 'vitest';
import { Comparison, comparisonTable } from './comparison.ts';

function threeRuns(): Comparison {
  const comparison = new Comparison('go');
  for (const converge_s of [10, 30, 20]) comparison.note('go', { converge_s, idle_cpu_s: 0 });
  for (const converge_s of [15, 10, 90]) comparison.note('ours', { converge_s, idle_cpu_s: 0, converge_s_300: 2 });
  return comparison;
}

describe('Comparison', () => {
  it('gives the median of the runs, with the ratio to the reference', () => {
    expect(threeRuns().lines()).toContainEqual({
      subject: 'ours',
      metric: 'converge_s',
      value: 15,
      unit: 's',
      ratio: 0.75,
    });
  });

  it('has no ratio where there is nothing to compare with', () => {
    const ratios = new Map(
      threeRuns()
        .lines()
        .map(({ subject, metric, ratio }) => [`${subject} ${metric}`, ratio]),
    );
    expect(ratios.get('ours idle_cpu_s')).toBeNull();
    expect(ratios.get('ours converge_s_300')).toBeNull();
  });

  it('prints a column a subject', () => {
    expect(comparisonTable(threeRuns().lines()).split('\n')).toEqual([
      '|                |          go |        ours |',
      '| -------------- | ----------: | ----------: |',
      '| converge_s     | 20 s (1.00) | 15 s (0.75) |',
      '| converge_s_300 |             |         2 s |',
      '| idle_cpu_s     |         0 s |         0 s |',
    ]);
  });
});
