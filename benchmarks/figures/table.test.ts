import { describe, expect, it } from 'vitest';
import { markdownTable } from './table.ts';

describe('markdownTable', () => {
  it('aligns words left and numbers right', () => {
    const rows = [
      ['metric', 'kurator'],
      ['start_s', '0.3'],
      ['idle', '12.25 s'],
    ];
    expect(markdownTable(rows)).toBe(
      [
        '| metric  | kurator |', //
        '| ------- | ------: |',
        '| start_s |     0.3 |',
        '| idle    | 12.25 s |',
      ].join('\n'),
    );
  });

  it('leaves a cell that is missing empty', () => {
    expect(markdownTable([['a', 'b'], ['x']])).toBe('| a   |   b |\n| --- | --: |\n| x   |     |');
  });
});
