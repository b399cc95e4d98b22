/** Quantities and durations as the API server reads them, in whole numbers that can be compared. */

const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary: Record<string, bigint> = { Ki: 1n, Mi: 2n, Gi: 3n, Ti: 4n, Pi: 5n, Ei: 6n };

/** What a quantity looks like: `500m`, `1.5Gi`, `2e3`. */
export const quantityPattern = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$/;

/** A quantity in billionths, which is the server's precision; undefined where it is none. */
export function nanosOf(quantity: string | number): bigint | undefined {
  const text = String(quantity);
  if (!quantityPattern.test(text)) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = /^([+-]?)(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const power = binary[suffix];
  const exponent = 9 - fraction.length + (power === undefined ? (decimal[suffix] ?? Number(suffix.slice(1))) : 0);
  const digits = BigInt(whole + fraction) * 1024n ** (power ?? 0n);
  const divisor = 10n ** BigInt(Math.max(-exponent, 0));
  // What is finer than a billionth is rounded up, as the server does.
  const nanos = (digits * 10n ** BigInt(Math.max(exponent, 0)) + divisor - 1n) / divisor;
  return sign === '-' ? -nanos : nanos;
}

const nanoseconds: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
  d: 24 * 3600e9,
};

/** What a duration in an object looks like: `1h30m`, `250ms`, `1.5s`. */
export const durationPattern = /^(?:0|(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+)$/;
// CEL and Go know no days; authors do.
const spelledPattern = /^(?:0|(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h|d))+)$/;

/** A duration in nanoseconds; undefined where it is none. */
export function nanosecondsOf(duration: string): number | undefined {
  return durationPattern.test(duration) ? sumOf(duration) : undefined;
}

/** Milliseconds of a duration as authors write it, which may have days; undefined where it is none. */
export function spelledDuration(text: string): number | undefined {
  return spelledPattern.test(text) ? sumOf(text) / 1e6 : undefined;
}

function sumOf(duration: string): number {
  const parts = [...duration.matchAll(/([0-9.]+)([a-zµ]+)/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (nanoseconds[unit] ?? 0), 0);
}
