/** Moments and lengths of time, as all commands of the healer write them. Pure. */
import { age, duration } from '@kurator/command';

/** `2026-11-15 16:01:02Z`; nothing for nothing. */
export function moment(at: string | number | undefined): string | undefined {
  if (at === undefined) return undefined;
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** `16:01:02.3`: within a story whose day is known. */
export function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 21);
}

/** `2026-11-15 16:01:02Z (12m ago)` */
export function momentAndAge(at: string | undefined, now: number): string | undefined {
  return at && `${moment(at)} (${age(at, now)} ago)`;
}

/** From one moment to another: `12 s`. */
export function between(from: string, to: string | undefined): string | undefined {
  return to && duration(Math.max(0, Date.parse(to) - Date.parse(from)));
}
