/** Asks pods for their metrics, through the API server, as Prometheus would ask them. */
import type { Client, Pod } from '@kurator/client';
import { addedUp, metricsIn } from './metrics-text.ts';

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
