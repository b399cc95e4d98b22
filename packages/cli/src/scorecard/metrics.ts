/** What pods tell Prometheus, asked for through the API server and read; and what rules and dashboards ask for. */
import type { Client, Pod } from '@kurator/client';

/** A port that is meant for it, by the names that people give it; else the first. */
const names = /^(http-)?metrics$|^http$/;

/** All series of a name together; empty where no pod answers. */
export async function scraped(
  client: Client,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const found = await Promise.all(pods.map((pod) => ofPod(client, pod, signal)));
  return addedUp(found);
}

async function ofPod(
  client: Client,
  { metadata, spec }: Pod,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const ports = spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
  const port = ports.find(({ name }) => names.test(name ?? '')) ?? ports[0];
  if (!port) return new Map();
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}:${port.containerPort}/proxy/metrics`;
  const text = await client.raw<unknown>('GET', path, { signal }).catch(() => '');
  return metricsIn(typeof text === 'string' ? text : '');
}

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
