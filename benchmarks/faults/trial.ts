/** One fault, once, in one keeper's care: how long until it is known, until nobody suffers, and who suffered. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, Node, Pod, waitFor } from '@kurator/sdk';
import { type Attempt, startTraffic } from '../../e2e/support/traffic.ts';
import { type Arena, endService, type Keeper, PERIOD_SECONDS, podsOf, startService } from './arena.ts';
import { chance, oneOf } from './chance.ts';
import type { FaultKind } from './kinds.ts';
import { needlessRestarts, noticedAt } from './noticing.ts';

/** Absent: not before the trial's end. */
export interface Outcome {
  readonly detected_s?: number;
  readonly recovered_s?: number;
  readonly requests_failed: number;
  /** Instances that were well, and were restarted or taken away. */
  readonly needless_restarts: number;
}

/** How long a trial may last, in seconds. */
export const LONGEST_SECONDS = 90;
/** How long all must have been well for it to be over. */
const QUIET = 12_000;
const WARM_UP = 2000;
const REQUESTS_PER_SECOND = 50;

export async function trial(arena: Arena, kind: FaultKind, keeper: Keeper, seed: number): Promise<Outcome> {
  const { client, cluster } = arena;
  const service = `${keeper}-${kind.name}-${seed}`;
  const over = new AbortController();
  const served = (await kind.serve?.(arena, service, keeper)) ?? {};
  const made = await startService(arena, service, keeper, served);
  const pods = await podsOf(client, service);
  const ill = await chosen(client, kind, pods, seed);
  const lost = kind.ill === 'those on a node' ? ill[0]?.spec?.nodeName : undefined;
  const nodes = (await cluster.status()).nodes.filter(({ name }) => name !== lost);
  const hosts = nodes.map(({ address }) => address);
  const port = made.spec?.ports?.[0]?.nodePort ?? 0;
  const traffic = startTraffic({ hosts, port, perSecond: REQUESTS_PER_SECOND });
  let undo: (() => Promise<void>) | undefined;
  try {
    // At any point between two looks.
    await delay(WARM_UP + chance(seed, kind.name) * PERIOD_SECONDS * 1000);
    const injectedAt = Date.now();
    const from = performance.now();
    undo = await kind.inject(arena, { service, pods, ill });
    let found: number | undefined;
    void noticedAt(client, keeper, service, pods, over.signal).then((at) => {
      found = at;
    });
    if (kind.lasts !== undefined) {
      await delay(Math.max(0, kind.lasts - (performance.now() - from)));
      await undo?.();
    }
    await untilQuiet(traffic.attempts, from);
    const failures = traffic.attempts.filter(({ at, well }) => !well && at >= from);
    const last = failures.at(-1)?.at ?? from;
    const isOver = performance.now() - last >= QUIET;
    return {
      ...(found !== undefined && { detected_s: Math.max(0, (found - injectedAt) / 1000) }),
      ...(isOver && { recovered_s: (last - from) / 1000 }),
      requests_failed: failures.length,
      needless_restarts: kind.ill === 'all' ? 0 : await needlessRestarts(client, service, pods, ill),
    };
  } finally {
    over.abort();
    traffic.stop();
    await undo?.();
    if (lost !== undefined) await untilReady(client, lost);
    await endService(arena, service);
    await endService(arena, `${service}-db`);
  }
}

/** Whom it is to happen to. */
async function chosen(
  client: Client,
  { ill, name }: FaultKind,
  pods: readonly Pod[],
  seed: number,
): Promise<readonly Pod[]> {
  if (ill === 'all') return pods;
  if (ill === 'nobody') return [];
  if (ill === 'one') return pods.filter((pod) => pod === oneOf(pods, seed, name));
  // What becomes of the healer itself is another story.
  const own = (await client.list(Pod, { namespace: 'kurator' })).items.map(({ spec }) => spec?.nodeName);
  const nodes = [...new Set(pods.map(({ spec }) => spec?.nodeName))].filter((node) => !own.includes(node));
  const node = oneOf(nodes, seed, name);
  return pods.filter(({ spec }) => spec?.nodeName === node);
}

/** Until no request has failed for a while, or it has taken too long. */
async function untilQuiet(attempts: readonly Attempt[], from: number): Promise<void> {
  for (;;) {
    await delay(250);
    const now = performance.now();
    const last = attempts.findLast(({ well }) => !well)?.at ?? from;
    if (now - Math.max(last, from) >= QUIET || now - from >= LONGEST_SECONDS * 1000) return;
  }
}

async function untilReady(client: Client, name: string): Promise<void> {
  const isReady = ({ status }: Node) =>
    status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
  await waitFor(client, Node, { name }, isReady, { description: 'to be back', timeout: 120_000 });
}
