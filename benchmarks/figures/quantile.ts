/** What is typical of many measurements, and what is rare. */

/** The value that `share` (0 to 1) of all values don't exceed: the nearest rank; NaN where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(values.length * share));
  return values.toSorted((a, b) => a - b)[rank - 1] ?? Number.NaN;
}

/** The middle value, or halfway between the two in the middle; NaN where there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}
