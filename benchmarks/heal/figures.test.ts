import { expect, it } from 'vitest';
import { linesOf, shownTargets } from './figures.ts';

const figure = (subject: string, metric: string, value: number) => ({ subject, metric, value, unit: 'ms' });

it('sets each figure beside that of the reference', () => {
  const lines = linesOf([figure('go', 'a', 4), figure('ours', 'a', 1), figure('ours', 'b', 1)], 'go');
  expect(lines.map(({ ratio }) => ratio)).toEqual([1, 0.25, null]);
});

it('has no ratio of nothing to nothing', () => {
  expect(linesOf([figure('go', 'a', 0), figure('ours', 'a', 0)], 'go')[1]?.ratio).toBeNull();
});

it('says which targets are met, of those that were measured', () => {
  const shown = shownTargets([figure('kurator', 'tcp_10000_cores', 0.2), figure('kurator', 'http_10000_cores', 0.7)]);
  expect(shown.map((line) => line.split(' ', 2).join(' '))).toEqual([
    'met: tcp_10000_cores',
    'MISSED: http_10000_cores',
  ]);
});
