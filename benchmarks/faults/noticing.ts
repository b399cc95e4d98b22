/** When somebody first knew that something is wrong. */
import { setTimeout as delay } from 'node:timers/promises';
import { Incident } from '@kurator/operator-kurator';
import type { Client, Pod } from '@kurator/sdk';
import { type Keeper, podsOf } from './arena.ts';

/** Resolves with the time; undefined when the signal fires before. */
export async function noticedAt(
  client: Client,
  keeper: Keeper,
  service: string,
  before: readonly Pod[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const look = keeper === 'kurator' ? () => confirmedAt(client, service) : () => unreadyAt(client, service, before);
  while (!signal.aborted) {
    // The API server may be away for a moment, and is asked again.
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    await delay(50, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

/** When the healer was sure, by its own record. */
async function confirmedAt(client: Client, service: string): Promise<number | undefined> {
  const { items } = await client.list(Incident, { namespace: 'default' });
  const incident = items.find(({ spec, status }) => spec.service === service && status?.confirmedAt);
  return incident?.status?.confirmedAt ? Date.parse(incident.status.confirmedAt) : undefined;
}

/** When Kubernetes showed that something is wrong: an instance is not ready, or was begun again. */
async function unreadyAt(client: Client, service: string, before: readonly Pod[]): Promise<number | undefined> {
  const restarts = new Map(before.map((pod) => [pod.metadata.uid, restartsOf(pod)]));
  const isBad = (pod: Pod) =>
    restartsOf(pod) > (restarts.get(pod.metadata.uid) ?? 0) || (restarts.has(pod.metadata.uid) && !isReady(pod));
  return (await podsOf(client, service)).some(isBad) ? Date.now() : undefined;
}

/** Restarts of those that were not ill, one that was taken away counted as one. */
export async function needlessRestarts(
  client: Client,
  service: string,
  before: readonly Pod[],
  ill: readonly Pod[],
): Promise<number> {
  const after = new Map((await podsOf(client, service)).map((pod) => [pod.metadata.uid, pod]));
  const well = before.filter((pod) => !ill.includes(pod));
  return well.reduce((sum, pod) => {
    const now = after.get(pod.metadata.uid);
    return sum + (now ? restartsOf(now) - restartsOf(pod) : 1);
  }, 0);
}

function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}
