/** Quantities and durations as the API server reads them, in whole numbers that can be compared. */
import { durationPattern, parseQuantity, spelledDuration } from '@kurator/client/notation';

/** What a quantity looks like: `500m`, `1.5Gi`, `2e3`. */
export const quantityPattern = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$/;

/** A quantity in billionths, which is the server's precision; undefined where it is none. */
export function nanosOf(quantity: string | number): bigint | undefined {
  const text = String(quantity);
  return quantityPattern.test(text) ? parseQuantity(text).nanos : undefined;
}

/** A duration in nanoseconds; undefined where it is none. */
export function nanosecondsOf(duration: string): number | undefined {
  return durationPattern.test(duration) ? Math.round((spelledDuration(duration) ?? 0) * 1e6) : undefined;
}
