/** Columns under headings, as `kubectl get` prints them. Pure. */
import { plain, type Screen, type Tone } from './style.ts';

/** How a table is shown; everything has a default. */
export interface TableOptions {
  readonly screen?: Screen;
  /** The colour of a cell, by its column and what it says. */
  readonly tone?: (column: number, cell: string) => Tone | undefined;
  /** Widths of an earlier part of the same table. */
  readonly widths?: readonly number[];
  readonly headings?: boolean;
}

const gap = '   ';

/** Rows under their headings, one a line. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string {
  const { screen = { width: undefined, paint: plain }, tone } = options;
  const widths = options.widths ?? columnWidths(headings, rows);
  const line = (row: readonly string[], toneOf: TableOptions['tone']) => {
    const cells = fitted(row, widths, screen.width);
    return cells
      .map((cell, column) => screen.paint(toneOf?.(column, row[column] ?? ''), cell))
      .join(gap)
      .trimEnd();
  };
  const top = options.headings === false ? [] : [line(headings, () => 'dim')];
  return [...top, ...rows.map((row) => line(row, tone))].join('\n');
}

/** How wide each column must be. */
export function columnWidths(headings: readonly string[], rows: readonly (readonly string[])[]): number[] {
  return headings.map((_, column) => Math.max(...[headings, ...rows].map((row) => row[column]?.length ?? 0)));
}

/** Padded but for the last; what does not fit into the line is cut off at its end. */
function fitted(row: readonly string[], widths: readonly number[], width = Number.POSITIVE_INFINITY): string[] {
  const cells: string[] = [];
  let left = width;
  for (const [column, cell] of row.entries()) {
    if (left <= 0) break;
    const isLast = column === row.length - 1;
    const text = cell.length > left ? `${cell.slice(0, Math.max(0, left - 1))}…` : cell;
    cells.push(isLast ? text : text.padEnd(Math.min(left, widths[column] ?? 0)));
    left -= Math.max(widths[column] ?? 0, cell.length) + gap.length;
  }
  return cells;
}
