/** What may have been meant: names that are close to one that is not there. Pure. */

/** The closest first, three at most. */
export function near(wanted: string, names: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: name.includes(wanted) || wanted.includes(name) ? 1 : distance(wanted, name) }))
    .filter((one) => one.distance <= most)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Letters to change, to add, to leave out, or to swap with their neighbour. */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= other.length; j++) {
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const changed = at(i - 1, j - 1) + Number(one[i - 1] !== other[j - 1]);
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(changed, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(one.length, other.length);
}
