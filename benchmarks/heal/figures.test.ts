import { expect, it } from 'vitest';
import { shownTargets } from './figures.ts';

const figure = (subject: string, metric: string, value: number) => ({ subject, metric, value, unit: 'ms' });

it('says which targets are met, of those that were measured', () => {
  const shown = shownTargets([figure('kurator', 'tcp_10000_cores', 0.2), figure('kurator', 'http_10000_cores', 0.7)]);
  expect(shown.map((line) => line.split(' ', 2).join(' '))).toEqual([
    'met: tcp_10000_cores',
    'MISSED: http_10000_cores',
  ]);
});
