import { describe, expect, it } from 'vitest';
import type { Keeper } from './arena.ts';
import { linesOf, mergeLines, type Trial, tableOf } from './figures.ts';

const kind = { name: 'hang', words: 'one instance hangs' };
const trial = (keeper: Keeper, requests_failed: number, detected_s?: number): Trial => ({
  kind,
  keeper,
  outcome: { requests_failed, needless_restarts: 0, ...(detected_s !== undefined && { detected_s, recovered_s: 4 }) },
});
const trials = [
  trial('kurator', 10, 1),
  trial('kurator', 30, 3),
  trial('kurator', 20, 2),
  trial('kubernetes', 5),
  trial('kubernetes', 7),
  trial('kubernetes', 5, 9),
];

describe('figures of faults', () => {
  it('are the median and the worst, beside those of Kubernetes', () => {
    const lines = linesOf(trials).filter(({ metric }) => metric.startsWith('hang_requests_failed'));
    expect(lines.map(({ subject, value, ratio }) => [subject, value, ratio])).toEqual([
      ['kurator', 20, 4],
      ['kurator', 30, 30 / 7],
      ['kubernetes', 5, 1],
      ['kubernetes', 7, 1],
    ]);
  });

  it('have no line for what most trials did not come to', () => {
    const known = linesOf(trials).filter(({ metric }) => metric.startsWith('hang_detected_s'));
    expect(known.map(({ subject }) => subject)).toEqual(['kurator', 'kurator']);
  });

  it('are one row each in the table, with the worst in brackets where it differs', () => {
    const [, , first = '', second = ''] = tableOf(trials).split('\n');
    expect(first).toMatch(/^\| one instance hangs \| +known after \| +2\.0 s \(3\.0 s\) \| +not \|$/);
    expect(second).toMatch(/nobody suffers after \| +4\.0 s \| +not in 90 s \|$/);
  });

  it('of faults that were not measured this time stay', () => {
    const old = { subject: 'kurator', metric: 'kill_detected_s', value: 1, unit: 's', ratio: 1 };
    const replaced = { ...old, metric: 'hang_detected_s_worst' };
    const merged = mergeLines([old, replaced], linesOf(trials), ['hang']);
    expect(merged).toContain(old);
    expect(merged).not.toContain(replaced);
  });
});
