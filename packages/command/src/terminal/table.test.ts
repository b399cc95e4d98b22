import { expect, it } from 'vitest';
import { screenOf } from './style.ts';
import { columnWidths, table } from './table.ts';

const headings = ['NAME', 'HEALTH', 'DECISION'];
const rows = [
  ['web', 'Healthy', 'idle: nothing is wrong'],
  ['database', 'Down', 'act: replaces database-0, which hangs'],
];

it('prints everything where there is no end of the line', () => {
  expect(table(headings, rows)).toBe(
    [
      'NAME       HEALTH    DECISION',
      'web        Healthy   idle: nothing is wrong',
      'database   Down      act: replaces database-0, which hangs',
    ].join('\n'),
  );
});

it.each([10, 20, 24, 40])('keeps within a terminal of %d columns', (columns) => {
  const lines = table(headings, rows, { screen: screenOf({ isTTY: true, columns }, { NO_COLOR: '1' }) }).split('\n');
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  expect(lines).toHaveLength(3);
});

it('pads before it paints, so that columns stay in line', () => {
  const screen = screenOf({ isTTY: true, columns: 80 }, {});
  const text = table(headings, rows, { screen, tone: (column) => (column === 1 ? 'bad' : undefined) });
  expect(text).toContain('\x1b[31mDown   \x1b[39m   act');
});

it('goes on with the widths of an earlier part', () => {
  const widths = columnWidths(headings, rows);
  expect(table(headings, [['x', 'Down', '-']], { widths, headings: false })).toBe('x          Down      -');
});
