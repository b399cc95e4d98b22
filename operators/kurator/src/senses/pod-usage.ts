/** Reads what instances use, beside the reconciles: a metrics server that is slow must not hold up a repair. */
import { type Client, type Pod, PodMetrics, quantityToNumber } from '@kurator/sdk';
import { boundedText } from '../access/bounded-text.ts';
import { isNotAllowed } from '../access/optional-roles.ts';
import { holderOf, type Reach } from '../access/reach.ts';
import type { Millis } from '../brain/time.ts';
import type { PodUsage, ServiceMemory } from '../memory/service-memory.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { ServiceObjects } from './service-objects.ts';

type Scaling = NonNullable<Kurator['spec']['scaling']>;
type AppMetric = NonNullable<Scaling['targets'][number]['metric']>;

const every = 15_000;
const patience = 3000;
const mostBytes = 1 << 20;

/** Keeps the usage of memories up to date. */
export class UsageReader {
  readonly #client: () => Client;
  readonly #now: () => Millis;
  readonly #wake: (memory: ServiceMemory) => void;
  readonly #reach: Reach;
  readonly #underWay = new WeakSet<ServiceMemory>();

  constructor(options: {
    client: () => Client;
    now: () => Millis;
    wake: (memory: ServiceMemory) => void;
    reach: Reach;
  }) {
    this.#reach = options.reach;
    this.#client = options.client;
    this.#now = options.now;
    this.#wake = options.wake;
  }

  /** Reads them anew, if that is due. */
  refresh(memory: ServiceMemory, scaling: Scaling, objects: ServiceObjects): void {
    if (this.#underWay.has(memory) || this.#now() - (memory.usageAt ?? 0) < every) return;
    this.#underWay.add(memory);
    memory.usageAt = this.#now();
    void this.#read(memory, scaling, objects)
      .then((usage) => {
        memory.usage = usage;
        this.#wake(memory);
      })
      .finally(() => this.#underWay.delete(memory));
  }

  /** When they are to be read again. */
  dueAt({ usageAt = 0 }: ServiceMemory): Millis {
    return usageAt + every;
  }

  async #read(
    memory: ServiceMemory,
    { targets }: Scaling,
    { pods, workload }: ServiceObjects,
  ): Promise<Map<string, PodUsage>> {
    const wantsShares = targets.some(({ cpu, memory }) => cpu !== undefined || memory !== undefined);
    const metrics = targets.flatMap(({ metric }) => metric ?? []);
    const [shares, own] = await Promise.all([
      wantsShares ? this.#podMetrics(memory, workload.metadata.namespace ?? '') : new Map<string, PodMetrics>(),
      Promise.all(pods.map(async (pod) => [pod.metadata.uid, await this.#appMetrics(pod, metrics)] as const)),
    ]);
    const now = this.#now();
    const byUid = new Map(own);
    return new Map(
      pods.map((pod) => {
        const { uid = '', name } = pod.metadata;
        const used = shares.get(name);
        const common = { ...byUid.get(uid), ...latencyOf(memory, uid) };
        const usage = (of: 'requests' | 'limits') => ({
          at: now,
          metrics: { ...common, ...(used && sharesOf(pod, used, of, now)) },
        });
        return [uid, { scaling: usage('requests'), brain: usage('limits') }];
      }),
    );
  }

  /** Nothing where nobody measures: then scaling holds. */
  async #podMetrics({ missingRoles }: ServiceMemory, namespace: string): Promise<Map<string, PodMetrics>> {
    try {
      const { items } = await this.#client().list(PodMetrics, { namespace, timeout: patience, retries: 0 });
      missingRoles.delete('metrics');
      return new Map(items.map((one) => [one.metadata.name, one]));
    } catch (error) {
      if (isNotAllowed(error)) missingRoles.add('metrics');
      return new Map();
    }
  }

  async #appMetrics(pod: Pod, metrics: readonly AppMetric[]): Promise<Record<string, number>> {
    const { podIP } = pod.status ?? {};
    if (!podIP || this.#reach.refuses(podIP, holderOf(pod))) return {};
    const read = await Promise.all(
      metrics.map(async ({ name, port, path }) => {
        const host = podIP.includes(':') ? `[${podIP}]` : podIP;
        const value = metricIn(await textAt(`http://${host}:${port}${path}`), name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
    return Object.fromEntries(read.flat());
  }
}

function latencyOf({ latencies }: ServiceMemory, uid: string): { latency?: number } {
  const latency = latencies.get(uid);
  return latency === undefined ? {} : { latency };
}

/** Empty where it can't be had, or where there is no end to it. */
async function textAt(url: string): Promise<string> {
  try {
    const { ok, body } = await fetch(url, { signal: AbortSignal.timeout(patience), redirect: 'error' });
    return ok && body ? ((await boundedText(body, mostBytes)) ?? '') : '';
  } catch {
    return '';
  }
}

/** Shares of what an instance may use: 1 is all of it. */
export interface Shares {
  readonly cpu?: number;
  readonly memory?: number;
}

const resources = ['cpu', 'memory'] as const;
/** Older figures say nothing about now. */
const staleAfter = 120_000;

/** What a pod uses, as a share of what it requested or of its limits; missing where it has said nothing of these. */
export function sharesOf(pod: Pod, metrics: PodMetrics, of: 'requests' | 'limits', now: Millis): Shares {
  if (now - Date.parse(metrics.timestamp) > staleAfter) return {};
  const known = resources.flatMap((resource) => {
    const used = sum(metrics.containers.map(({ usage }) => usage[resource]));
    const may = allowance(pod, resource, of);
    return may > 0 ? [[resource, used / may] as const] : [];
  });
  return Object.fromEntries(known);
}

/** Of all containers together; limits that are not given are taken to be what is requested. */
function allowance({ spec }: Pod, resource: (typeof resources)[number], of: 'requests' | 'limits'): number {
  const amounts = (spec?.containers ?? []).map(({ resources: given }) => {
    const { requests, limits } = given ?? {};
    return of === 'limits'
      ? (limits?.[resource] ?? requests?.[resource])
      : (requests?.[resource] ?? limits?.[resource]);
  });
  // One that says nothing makes the sum mean nothing.
  return amounts.every((amount) => amount !== undefined) ? sum(amounts) : 0;
}

function sum(amounts: readonly (string | number | undefined)[]): number {
  return amounts.reduce<number>(
    (total, amount) => total + (amount === undefined ? 0 : quantityToNumber(String(amount))),
    0,
  );
}

const line = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})?\s+(\S+)/;

/** The sum of all series of a metric; undefined where there is none. */
export function metricIn(text: string, name: string): number | undefined {
  let total: number | undefined;
  for (const row of text.split('\n')) {
    if (!row.startsWith(name)) continue;
    const [, found, , value = ''] = line.exec(row) ?? [];
    const number = Number(value);
    if (found === name && Number.isFinite(number)) total = (total ?? 0) + number;
  }
  return total;
}
