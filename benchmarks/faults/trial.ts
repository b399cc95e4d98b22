/** One fault, once, in one keeper's care: how long until it is known, until nobody suffers, and who suffered. */
import { setTimeout as delay } from 'node:timers/promises';
import { Incident } from '@kurator/operator-kurator';
import type { Client, Pod } from '@kurator/sdk';
import { type Arena, endService, type Keeper, podsOf, startService } from './arena.ts';
import type { FaultKind } from './kinds.ts';
import { type Attempt, startTraffic } from './traffic.ts';

/** Absent: not before the trial's end. */
export interface Outcome {
  readonly detected_s?: number;
  readonly recovered_s?: number;
  readonly requests_failed: number;
  /** Instances that were well, and were restarted or taken away. */
  readonly needless_restarts: number;
}

/** How long a trial may last, and how long all must have been well for it to be over. */
const LONGEST = 90_000;
const QUIET = 12_000;
const WARM_UP = 2000;

export async function trial(arena: Arena, kind: FaultKind, keeper: Keeper, name: string): Promise<Outcome> {
  const { client, cluster } = arena;
  const port = await startService(arena, name, keeper);
  const before = await podsOf(client, name);
  const [ill] = before;
  if (!ill) throw new Error(`${name} has no pods`);
  const hosts = (await cluster.status()).nodes.map(({ address }) => address);
  const traffic = startTraffic(hosts, port);
  try {
    await delay(WARM_UP);
    const injectedAt = Date.now();
    const from = performance.now();
    await kind.inject(arena, name, ill);
    const detected = keeper === 'kurator' ? confirmedAt(client, name, from) : unreadyAt(client, name, before, from);
    await untilQuiet(traffic.attempts, from);
    const found = await Promise.race([detected, delay(0, undefined)]);
    const failures = traffic.attempts.filter(({ at, well }) => !well && at >= from);
    const last = failures.at(-1)?.at ?? from;
    const isOver = performance.now() - last >= QUIET;
    return {
      ...(found !== undefined && { detected_s: Math.max(0, (found - injectedAt) / 1000) }),
      ...(isOver && { recovered_s: (last - from) / 1000 }),
      requests_failed: failures.length,
      needless_restarts: kind.of === 'instance' ? await disturbed(client, name, before, ill) : 0,
    };
  } finally {
    traffic.stop();
    await endService(arena, name);
  }
}

/** Until no request has failed for a while, and it is known that something was wrong, or nobody will know. */
async function untilQuiet(attempts: readonly Attempt[], from: number): Promise<void> {
  for (;;) {
    await delay(250);
    const now = performance.now();
    const last = attempts.findLast(({ well }) => !well)?.at ?? from;
    if (now - Math.max(last, from) >= QUIET || now - from >= LONGEST) return;
  }
}

/** When the healer was sure, by its own record. */
async function confirmedAt(client: Client, service: string, from: number): Promise<number | undefined> {
  while (performance.now() - from < LONGEST) {
    const { items } = await client.list(Incident, { namespace: 'default' });
    const incident = items.find(({ spec, status }) => spec.service === service && status?.confirmedAt);
    if (incident?.status?.confirmedAt) return Date.parse(incident.status.confirmedAt);
    await delay(200);
  }
  return undefined;
}

/** When Kubernetes showed that something is wrong: an instance is not ready, or was begun again. */
async function unreadyAt(
  client: Client,
  service: string,
  before: readonly Pod[],
  from: number,
): Promise<number | undefined> {
  const restarts = new Map(before.map((pod) => [pod.metadata.uid, restartsOf(pod)]));
  while (performance.now() - from < LONGEST) {
    const pods = await podsOf(client, service);
    const isBad = (pod: Pod) =>
      restartsOf(pod) > (restarts.get(pod.metadata.uid) ?? 0) || (restarts.has(pod.metadata.uid) && !isReady(pod));
    if (pods.some(isBad)) return Date.now();
    await delay(50);
  }
  return undefined;
}

async function disturbed(client: Client, service: string, before: readonly Pod[], ill: Pod): Promise<number> {
  const after = new Map((await podsOf(client, service)).map((pod) => [pod.metadata.uid, pod]));
  const well = before.filter(({ metadata }) => metadata.uid !== ill.metadata.uid);
  return well.filter((pod) => {
    const now = after.get(pod.metadata.uid);
    return !now || restartsOf(now) > restartsOf(pod);
  }).length;
}

function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}
