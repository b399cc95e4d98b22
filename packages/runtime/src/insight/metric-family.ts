/**
 * Metrics that are kept as plain numbers where they arise, and turned into samples when somebody scrapes. So the hot
 * path pays an addition, and prom-client (50 ms and 20 MB to load) comes in only with the first scrape.
 */
import type { Metric } from 'prom-client';

/** One number of a metric, told from the others by its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** For histograms, whose samples have names of their own. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

/** A metric with all its samples, as it is at the moment of a scrape. */
export interface MetricFamily {
  /** As Prometheus has it: `myapp_backups_total`. */
  readonly name: string;
  /** What it counts or measures, for people. */
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): Iterable<Sample>;
}

/** The same for a prom-client registry, which asks its metrics for nothing but `get`. */
export function asPromMetric(family: MetricFamily): Metric {
  const { name, help, type } = family;
  const get = () =>
    Promise.resolve({
      name,
      help,
      type,
      aggregator: 'sum',
      values: Array.from(family.samples(), ({ labels, value, suffix }) => ({
        labels,
        value,
        ...(suffix && { metricName: name + suffix }),
      })),
    });
  return { name, help, type, get } as unknown as Metric;
}
