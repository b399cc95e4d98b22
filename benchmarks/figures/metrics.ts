/** What the benchmark of the SDK measures, and in which unit. */

/** In the order of the table. Other sizes than the usual one are told apart by their number: `converge_s_300`. */
export const units = {
  start_s: 's',
  converge_s: 's',
  converge_cpu_s: 's',
  converge_peak_rss: 'MiB',
  latency_p50_ms: 'ms',
  latency_p99_ms: 'ms',
  burst_s: 's',
  burst_cpu_s: 's',
  recreate_s: 's',
  idle_cpu_s: 's',
  cache_sync_s: 's',
  cache_rss: 'MiB',
  cache_bytes_per_object: 'bytes',
  writes: 'requests',
  conflicts: 'requests',
  status_conflicts: 'requests',
  noop_writes: 'requests',
} as const;

/** A metric's name, at the usual size. */
export type Metric = keyof typeof units;

/** What one measurement gives. */
export type Figures = Readonly<Partial<Record<Metric, number>>>;

/** The same figures, with their names saying that they are of another size. */
export function atSize(figures: Figures, size: number): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([metric, value]) => [`${metric}_${size}`, value]));
}

/** The unit of a metric, at any size. */
export function unitOf(metric: string): string {
  return units[baseOf(metric)];
}

/** By metric as the table has them, then by size, the usual one first. */
export function inOrder(metrics: Iterable<string>): string[] {
  const order = Object.keys(units);
  const rank = (metric: string) => order.indexOf(baseOf(metric));
  const size = (metric: string) => Number(SIZED.exec(metric)?.[1] ?? 0);
  return [...new Set(metrics)].sort((a, b) => rank(a) - rank(b) || size(a) - size(b));
}

const SIZED = /_(\d+)$/;

function baseOf(metric: string): Metric {
  const base = metric in units ? metric : metric.replace(SIZED, '');
  if (base in units) return base as Metric;
  throw new Error(`there is no metric "${metric}"`);
}
