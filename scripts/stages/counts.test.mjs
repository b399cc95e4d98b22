import { describe, expect, it } from 'vitest';
import { countsOf, lastLine, sum } from './counts.mjs';

const report = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1, testResults: [] };

describe('countsOf', () => {
  it('takes what vitest counted; what is still to be written counts as skipped', () => {
    expect(countsOf(report, 0)).toEqual({ passed: 5, failed: 0, skipped: 2 });
  });

  it('counts a file that broke before its first test', () => {
    const broken = { name: 'a', status: 'failed', assertionResults: [] };
    const failing = { name: 'b', status: 'failed', assertionResults: [{ status: 'failed', fullName: 'b' }] };
    const counts = countsOf({ ...report, numFailedTests: 1, testResults: [broken, failing] }, 1);
    expect(counts).toEqual({ passed: 5, failed: 2, skipped: 2 });
  });

  it('counts a run that failed although every test passed', () => {
    expect(countsOf(report, 1).failed).toBe(1);
  });

  it('counts a run that left no report', () => {
    expect(countsOf(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe('the last line', () => {
  it('is the sum of all stages', () => {
    const all = [
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 40, failed: 2, skipped: 3 },
    ];
    expect(lastLine(sum(all))).toBe('41 passed, 2 failed, 3 skipped');
  });
});
