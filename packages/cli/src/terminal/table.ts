/** Columns under headings, as `kubectl get` prints them. Pure. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const last = headings.length - 1;
  return all
    .map((row) =>
      row
        .map((cell, i) => (i === last ? cell : cell.padEnd(widths[i] ?? 0)))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
