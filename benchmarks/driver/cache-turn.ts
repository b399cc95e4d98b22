/** One operator's turn with a cache: many ConfigMaps of 2 KiB that it only holds. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConfigMap, Namespace } from '@kurator/client';
import type { Figures } from '../figures/metrics.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { each } from './each.ts';

/** What a garbage collector may still want to do once everything is there. */
const SETTLE_MILLISECONDS = 3000;
const PAYLOAD = 'x'.repeat(2000);

const namespaceOf = (size: number) => `cached-${size}`;

/** Makes what is cached. */
export async function fillCache(client: Client, size: number): Promise<void> {
  const namespace = namespaceOf(size);
  await client.create(Namespace, { metadata: { name: namespace } });
  await each(size, (i) =>
    client.create(ConfigMap, { metadata: { name: `map-${i}`, namespace }, data: { payload: PAYLOAD } }),
  );
}

/** From the start of the process to a cache that is complete, and what it holds in memory then. */
export async function measureCache(subject: Subject, kubeconfig: string, size: number): Promise<Figures> {
  const since = performance.now();
  const operator = startSubject(subject, { KUBECONFIG: kubeconfig, NAMESPACE: namespaceOf(size), CACHE: '1' });
  try {
    await operator.says('synced');
    const cache_sync_s = (performance.now() - since) / 1000;
    await operator.during(delay(SETTLE_MILLISECONDS));
    const { rssMiB } = await operator.usage();
    return { cache_sync_s, cache_rss: rssMiB };
  } finally {
    await operator.stop();
  }
}
