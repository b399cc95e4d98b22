import { expect, it } from 'vitest';
import { linesOf, replaced } from './lines.ts';

const figure = (subject: string, metric: string, value: number) => ({ subject, metric, value, unit: 'ms' });

it('sets each figure beside that of the reference', () => {
  const lines = linesOf([figure('go', 'a', 4), figure('ours', 'a', 1), figure('ours', 'b', 1)], 'go');
  expect(lines.map(({ ratio }) => ratio)).toEqual([1, 0.25, null]);
});

it('has no ratio of nothing to nothing', () => {
  expect(linesOf([figure('go', 'a', 0), figure('ours', 'a', 0)], 'go')[1]?.ratio).toBeNull();
});

it('puts what is measured anew in the place of what was, and leaves the rest', () => {
  const before = linesOf([figure('go', 'a', 4), figure('ours', 'a', 1), figure('ours', 'b', 1)], 'go');
  const after = replaced(before, linesOf([figure('ours', 'a', 2)], 'go'));
  expect(after.map(({ subject, metric, value }) => [subject, metric, value])).toEqual([
    ['go', 'a', 4],
    ['ours', 'b', 1],
    ['ours', 'a', 2],
  ]);
});
