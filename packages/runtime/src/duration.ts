/** Lengths of time in options: `'30s'`, `'1m30s'`, `'2d'`, or a number of milliseconds. */
import { spelledDuration } from '@kurator/client/notation';
import { RuntimeError } from './error.ts';

/**
 * Milliseconds, or a text of numbers with units: `'1h30m'`. Never negative. All that a field made by `duration()` of
 * @kurator/schema admits, and days: `d`, `h`, `m`, `s`, `ms`, `us`, `ns`.
 */
export type Duration = number | string;

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/**
 * The milliseconds of a duration.
 *
 * @param field What the duration is for, as the error for a bad one names it: `requeueAfter`.
 */
export function parseDuration(duration: Duration, field = 'duration'): number {
  const milliseconds = typeof duration === 'number' ? duration : spelled(duration);
  // Not `< 0`: NaN must be refused too.
  if (milliseconds >= 0 && milliseconds < Number.POSITIVE_INFINITY) return milliseconds;
  throw new RuntimeError('KUR_RUNTIME_BAD_DURATION', `${field}: ${JSON.stringify(duration)} is not a duration`, {
    remedy: "give milliseconds as a number from 0, or a text such as '30s', '1m30s' or '250ms'",
  });
}

function spelled(text: string): number {
  // '1.1s' shall be 1100, not 1100.0000000000002.
  return Math.round((spelledDuration(text) ?? Number.NaN) * 1000) / 1000;
}

/** The shortest text of whole units that means the same, for messages: `1m30s`. Rounds to a millisecond. */
export function formatDuration(milliseconds: number): string {
  let rest = Math.round(milliseconds);
  let text = '';
  for (const [name, unit] of units) {
    const count = Math.floor(rest / unit);
    if (count > 0) text += `${count}${name}`;
    rest -= count * unit;
  }
  return text || '0s';
}
