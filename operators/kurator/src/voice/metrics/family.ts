/** A metric as it is documented: docs/reference/healer-metrics.md has each of them, and a test holds the two together. */
import type { MetricFamily, Sample } from '@kurator/sdk';
import type { Mode } from '../../brain/spec.ts';
import type { Millis } from '../../brain/time.ts';
import type { ClusterState } from '../../memory/cluster-state.ts';
import type { ServiceMemories } from '../../memory/service-memory.ts';
import type { Look } from '../../resources/lookup.ts';
import type { ServiceChecks } from '../../senses/service-checks.ts';
import type { WatchFreshness } from '../../senses/watch-freshness.ts';
import type { Tally } from './tally.ts';

/** What of a running healer is measured. */
export interface Measured {
  readonly memories: Pick<ServiceMemories, 'all'>;
  readonly clusterState: Pick<ClusterState, 'stormSince'>;
  readonly checks: Pick<ServiceChecks, 'statistics' | 'size'>;
  readonly freshness: Pick<WatchFreshness, 'currentAt'>;
  readonly tally: Tally;
  readonly mode: Mode;
  readonly now: () => Millis;
  /** When it last looked around. */
  readonly lookedAt: Millis;
  readonly look: Look | undefined;
}

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
