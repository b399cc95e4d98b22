/** Since when: a length of time before now, or a moment. Pure. */
import { InvalidArgumentError } from '@kurator/command';

const units: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

/** Milliseconds since 1970. */
export function since(text: string, now: number = Date.now()): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? [];
  if (number !== undefined) return now - Number(number) * (units[unit] ?? 0);
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new InvalidArgumentError('Use a length of time as 30m, 24h or 7d, or a moment as 2026-01-31T12:00:00Z.');
}
