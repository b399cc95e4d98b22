/** Lengths of time as people write them. */
import { durationPattern, spelledDuration } from '@kurator/client/notation';

/** Milliseconds, or numbers with their units: `'500ms'`, `'30s'`, `'5m'`, `'1h30m'`. */
export type Duration = number | string;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest timer that Node has: about 24 days. */
const LONGEST = 2 ** 31 - 1;

/** Reads a duration; undefined for what is none, is zero or negative, or is longer than a timer can be. */
export function toMilliseconds(duration: unknown): number | undefined {
  const milliseconds =
    typeof duration === 'string' && durationPattern.test(duration) ? spelledDuration(duration) : duration;
  if (typeof milliseconds !== 'number' || !(milliseconds > 0) || milliseconds > LONGEST) return undefined;
  return milliseconds;
}

/** `30s` for 30000: the largest unit that needs no fraction. */
export function formatDuration(milliseconds: number): string {
  const unit = Object.keys(units).findLast((name) => milliseconds % (units[name] ?? 1) === 0) ?? 'ms';
  return `${milliseconds / (units[unit] ?? 1)}${unit}`;
}
