import { describe, expect, it } from 'vitest';
import { failuresOf } from './failures.mjs';

const report = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

describe('failuresOf', () => {
  it('names each test that failed, with what was said', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'a cat purrs' },
      {
        status: 'failed',
        fullName: 'a cat barks',
        failureMessages: ['\u001b[31mexpected "meow"\u001b[39m\n  at cat.ts:3'],
      },
    ];
    const testResults = [{ name: '/repo/src/cat.test.ts', status: 'failed', message: '', assertionResults }];
    expect(failuresOf({ ...report, testResults }, [], '/repo')).toEqual([
      'src/cat.test.ts > a cat barks\n    expected "meow"\n      at cat.ts:3',
    ]);
  });

  it('names a file that broke before its first test, and keeps a long message short', () => {
    const message = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n');
    const testResults = [{ name: '/repo/dog.test.ts', status: 'failed', message, assertionResults: [] }];
    const [failure = ''] = failuresOf({ ...report, testResults }, [], '/repo');
    expect(failure).toMatch(/^dog\.test\.ts\n {4}line 0\n/);
    expect(failure.split('\n')).toHaveLength(26);
  });

  it('names what went wrong outside of every test', () => {
    expect(failuresOf(report, ['Error: read ECONNRESET\n    at TCP.onStreamRead'], '/repo')).toEqual([
      'outside of every test\n    Error: read ECONNRESET\n        at TCP.onStreamRead',
    ]);
  });

  it('says when there is no report, and nothing when nothing failed', () => {
    expect(failuresOf(undefined, [], '/repo')).toHaveLength(1);
    expect(failuresOf(report, [], '/repo')).toEqual([]);
  });
});
