/** Moments and lengths of time, as all commands of the healer write and read them. Pure. */
import { age, duration, InvalidArgumentError } from '@kurator/command';

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

const units: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

/** A length of time before now, or a moment, in milliseconds since 1970. */
export function since(text: string, now: number = Date.now()): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? [];
  if (number !== undefined) return now - Number(number) * (units[unit] ?? 0);
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new InvalidArgumentError('Use a length of time as 30m, 24h or 7d, or a moment as 2026-01-31T12:00:00Z.');
}
