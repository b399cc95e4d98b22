import { expect, it } from 'vitest';
import { failuresText, type PlanResult, tableOf } from './report.ts';

const write = 'create configmaps/web-* #1';
const results: PlanResult[] = [
  { write, when: 'before', outcome: 'passed', reasons: [] },
  { write, when: 'during', outcome: 'failed', reasons: ['ConfigMap web-*: there are 2, not 1'] },
];

it('is a table with a row for each write', () => {
  const table = tableOf({ writes: [write, 'patch x/y #2'], unsteady: ['patch x/y #2'], results, places: 3 });
  expect(table.split('\n')).toEqual([
    'write                       before  during  after',
    'create configmaps/web-* #1  ok      FAILED  -',
    'killed at 2 of 3 places: 1 ok, 1 failed',
    'left out, for not every undisturbed run has them: patch x/y #2',
  ]);
});

it('says of each failure what was different, and how to see it again', () => {
  expect(failuresText(results, ({ when }) => `again ${when}`).split('\n')).toEqual([
    'killed during create configmaps/web-* #1:',
    '  ConfigMap web-*: there are 2, not 1',
    '  again: again during',
  ]);
});
