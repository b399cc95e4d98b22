/** What the operator says of itself: its metrics, as a scraper reads them. */
import type { Pod } from '@kurator/sdk';
import type { HealerWorld } from './healer-world.ts';

/** The values of an operator pod's metrics, without labels: the sum over all of a name. */
export async function metricsOf({ client }: HealerWorld, pod: Pod): Promise<Map<string, number>> {
  const path = `/api/v1/namespaces/kurator/pods/${pod.metadata.name}:8080/proxy/metrics`;
  const text = await client.raw<string>('GET', path);
  const sums = new Map<string, number>();
  for (const [, name = '', value = ''] of text.matchAll(/^([a-z_:][\w:]*)(?:\{[^}]*\})? ([-+.\de]+)/gim)) {
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  return sums;
}
