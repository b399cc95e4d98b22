/** What a process tells Prometheus, and what rules and dashboards ask for. Pure. */

/** All series of a name together; histograms by their parts, `…_bucket`, `…_sum`, `…_count`. */
export function metricsIn(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    // A counter that has not counted yet may have no series.
    const [, declared] = /^# TYPE (\S+) (?:counter|gauge)$/.exec(line) ?? [];
    if (declared) found.set(declared, found.get(declared) ?? 0);
    const [, name, value] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{.*\})?\s+(\S+)/.exec(line) ?? [];
    if (name && value) found.set(name, (found.get(name) ?? 0) + (Number(value) || 0));
  }
  return found;
}

export function addedUp(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const [name, value] of all.flatMap((each) => [...each])) sum.set(name, (sum.get(name) ?? 0) + value);
  return sum;
}

/** Which of the metrics a text names: an expression, a rule, a dashboard. */
export function namedIn(text: string, metrics: Iterable<string>): string[] {
  const words = new Set(text.match(/[a-zA-Z_:][a-zA-Z0-9_:]*/g) ?? []);
  return [...metrics].filter((name) => words.has(name));
}
