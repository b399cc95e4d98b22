/**
 * Durations as Go and Kubernetes write them, in fields of objects: `1h30m`, `250ms`, `-1.5s`; and as people write them in options,
 * who know days, and nothing that is negative.
 */
import { ClientError } from './error.ts';

const milliseconds: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const wholeText = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const part = /(\d+(?:\.\d*)?|\.\d+)([a-zµμ]+)/g;

/** What a duration in an object looks like that is never negative: `1h30m`, `250ms`, `1.5s`. */
export const durationPattern = /^(?:0|(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+)$/;
// CEL and Go know no days; authors do.
const spelling = /^(?:0|(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h|d))+)$/;

/** Milliseconds of a duration as people write it, which may have days; undefined where it is none. */
export function spelledDuration(text: string): number | undefined {
  return spelling.test(text) ? sumOf(text) : undefined;
}

/** Milliseconds. */
export function parseDuration(text: string): number {
  if (!wholeText.test(text)) {
    throw new ClientError('KUR_CLIENT_INVALID_REQUEST', `"${text}" is not a duration like 1h30m, 45s or 250ms`);
  }
  return text.startsWith('-') ? -sumOf(text) : sumOf(text);
}

function sumOf(text: string): number {
  let sum = 0;
  for (const [, count, unit = ''] of text.matchAll(part)) sum += Number(count) * (milliseconds[unit] ?? 0);
  return sum;
}

/** The text that Go would write: `1h30m0s`, `1.5s`, `250ms`. Parts of a nanosecond are rounded. */
export function formatDuration(duration: number): string {
  if (!Number.isFinite(duration)) throw new ClientError('KUR_CLIENT_INVALID_REQUEST', `${duration} is not a duration`);
  const nanos = Math.round(Math.abs(duration) * 1e6);
  const sign = duration < 0 && nanos > 0 ? '-' : '';
  if (nanos === 0) return '0s';
  const [unit, size] = nanos < 1e3 ? ['ns', 1] : nanos < 1e6 ? ['µs', 1e3] : nanos < 1e9 ? ['ms', 1e6] : ['s', 1e9];
  if (unit !== 's') return `${sign}${nanos / size}${unit}`;
  const minutes = Math.floor(nanos / 60e9);
  const seconds = `${(nanos - minutes * 60e9) / 1e9}s`;
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${sign}${seconds}`;
  return hours === 0 ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60}m${seconds}`;
}
