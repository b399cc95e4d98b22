/**
 * Durations as Go and Kubernetes write them, in fields of objects: `1h30m`, `250ms`, `-1.5s`. What authors of operators
 * write in options is something else: @kurator/runtime reads it, knows days, and refuses what is negative.
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
};
const wholeText = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Milliseconds. */
export function parseDuration(text: string): number {
  if (!wholeText.test(text)) {
    throw new ClientError('KUR_CLIENT_INVALID_REQUEST', `"${text}" is not a duration like 1h30m, 45s or 250ms`);
  }
  const parts = [...text.matchAll(part)].map(
    ([, number = '', unit = '']) => Number(number) * (milliseconds[unit] ?? 0),
  );
  const sum = parts.reduce((total, value) => total + value, 0);
  return text.startsWith('-') ? -sum : sum;
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
