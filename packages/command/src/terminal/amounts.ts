/** Times and sizes in words for people. Pure. */

/** `0.8 s`, `12 s`, `3 min 10 s`, `1 h 5 min`. */
export function duration(milliseconds: number): string {
  // Rounded first: 9.96 s is `10 s`, and 59.9 s a minute.
  const tenths = Math.round(milliseconds / 100) / 10;
  if (tenths < 10) return `${tenths.toFixed(1)} s`;
  const seconds = Math.round(tenths);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const ageUnits: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
];

/** The largest unit alone, as `kubectl get` has it: `45s`, `12m`, `3h`, `2d`. */
export function age(since: string, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const [unit, length] = ageUnits.find(([, each]) => seconds >= 2 * each) ?? ['s', 1];
  return `${Math.floor(seconds / length)}${unit}`;
}

/** `305 MiB` */
export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** `46.8 MB`, as registries count. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
