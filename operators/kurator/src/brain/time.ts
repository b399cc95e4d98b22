/** Time as the brain knows it: numbers that it is given. It never asks a clock. */

/** Milliseconds: since 1970 for a moment, or between two moments for a length. */
export type Millis = number;

/** A second, in milliseconds. */
export const second = 1000;
/** A minute, in milliseconds. */
export const minute = 60 * second;
/** An hour, in milliseconds. */
export const hour = 60 * minute;
/** A day, in milliseconds. */
export const day = 24 * hour;

/** From one moment (included) to another (not included). */
export interface Interval {
  readonly from: Millis;
  readonly to: Millis;
}

/** Whether a moment lies in one of the intervals. */
export function within(intervals: readonly Interval[], now: Millis): boolean {
  return intervals.some(({ from, to }) => from <= now && now < to);
}

/** A length of time as a person reads it: `1.5 s`, `3 min`, `2 h`. */
export function inWords(length: Millis): string {
  if (length < second) return `${Math.round(length)} ms`;
  if (length < minute) return `${rounded(length / second)} s`;
  if (length < hour) return `${rounded(length / minute)} min`;
  return length < 2 * day ? `${rounded(length / hour)} h` : `${rounded(length / day)} days`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
