/** Prints rows as aligned text, which can also be pasted into a page of the documentation. */

/** The first row is the heading; the first column is read as words, the others as numbers. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(3, ...rows.map((row) => (row[i] ?? '').length)));
  const pad = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0));
  const line = (cells: readonly string[]) => `| ${widths.map((_, i) => pad(cells[i] ?? '', i)).join(' | ')} |`;
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [heading = [], ...body] = rows;
  return [line(heading), line(rule), ...body.map(line)].join('\n');
}
