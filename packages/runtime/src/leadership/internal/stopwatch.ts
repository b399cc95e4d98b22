/**
 * How long ago something was, at the most. The monotonic clock stands still while a machine sleeps, the wall clock can
 * be set back: whichever of the two saw more time pass is believed. Erring that way ends a leadership too early at
 * worst.
 */
import type { Clock } from '../../clock.ts';

export interface Moment {
  readonly now: number;
  readonly date: number;
}

export function moment(clock: Clock): Moment {
  return { now: clock.now(), date: clock.date() };
}

/** Milliseconds since a moment; never too few. */
export function longestSince(clock: Clock, then: Moment): number {
  return Math.max(clock.now() - then.now, clock.date() - then.date);
}
