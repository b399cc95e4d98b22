import { describe, expect, it } from 'vitest';
import type { Outcome, Test } from './outcome.ts';
import { figuresOf, shown, summaryOf } from './summary.ts';

const tests: Test[] = ['[sig-node] a', '[sig-node] b', '[sig-network] c', '[sig-network] d', '[sig-cli] e'].map(
  (name) => ({
    name,
    isSerial: false,
  }),
);
const outcomes = new Map<string, Outcome>(
  (
    [
      { name: '[sig-node] a', state: 'passed', seconds: 2 },
      { name: '[sig-node] b', state: 'failed', seconds: 3, reason: 'timed out' },
      { name: '[sig-network] c', state: 'failed', seconds: 4, reason: 'no route' },
      { name: '[sig-cli] e', state: 'passed', seconds: 1.4 },
      { name: '[sig-cli] of another version', state: 'failed', seconds: 9, reason: 'gone' },
    ] satisfies Outcome[]
  ).map((outcome) => [outcome.name, outcome]),
);
const reasons = { '[sig-network] c': 'it asks for the internet', '[sig-cli] e': 'it was slow' };

describe('the summary of the suite', () => {
  it('counts every test once, and tells known failures from others', () => {
    const { all, passed, known, unknown, notRun, mended } = summaryOf(tests, outcomes, reasons);
    expect({ all, passed, notRun, mended }).toEqual({ all: 5, passed: 2, notRun: 1, mended: ['[sig-cli] e'] });
    expect(known.map(({ name }) => name)).toEqual(['[sig-network] c']);
    expect(unknown.map(({ name }) => name)).toEqual(['[sig-node] b']);
  });

  it('gives a line a figure', () => {
    const figures = figuresOf(summaryOf(tests, outcomes, reasons), 'kurator cluster');
    expect(figures.map(({ metric, value, unit }) => `${metric} ${value} ${unit}`)).toEqual([
      'all 5 tests',
      'passed 2 tests',
      'failed 2 tests',
      'not_run 1 tests',
      'test_time 10 s',
    ]);
  });

  it('shows a row a group, and the reason of each failure', () => {
    const text = shown(tests, outcomes, reasons);
    expect(text).toContain('| sig-network |   2 |      0 |      1 |       1 |');
    expect(text).toContain('| all         |   5 |      2 |      2 |       1 |');
    expect(text).toContain('failed: [sig-node] b\n  timed out');
    expect(text).toContain('failed, as is known: [sig-network] c\n  it asks for the internet');
    expect(text).toContain('passed, though conformance/known.ts has a reason why not: [sig-cli] e');
  });
});
