/** A metric as it is documented: docs/reference/healer-metrics.md has each of them, and a test holds the two together. */
import type { MetricFamily, Sample } from '@kurator/sdk';

/** A family that says which labels its samples have. */
export interface Family extends MetricFamily {
  readonly labels: readonly string[];
}

export type Labels = Sample['labels'];

/** One sample, or none where nothing is known. */
export function given(labels: Labels, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels, value }];
}

/** Without labels. */
export function single(value: number | undefined): Sample[] {
  return given({}, value);
}

export function inSeconds(length: number | undefined): number | undefined {
  return length === undefined ? undefined : length / 1000;
}

/** How often each occurs. */
export function tallied(all: readonly Labels[]): Sample[] {
  const counts = new Map<string, { labels: Labels; value: number }>();
  for (const labels of all) {
    const key = JSON.stringify(labels);
    counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + 1 });
  }
  return [...counts.values()];
}
