/** Reads what instances use, beside the reconciles: a metrics server that is slow must not hold up a repair. */
import { type Client, type Pod, PodMetrics } from '@kurator/sdk';
import type { Millis } from '../brain/time.ts';
import type { Mind } from '../healing/mind.ts';
import { isNotAllowed } from '../healing/optional-roles.ts';
import type { Scene } from '../healing/scene.ts';
import type { Reach } from '../network/reach.ts';
import type { Kurator } from '../resources/kurator.ts';
import { metricIn } from './exposition.ts';
import { type Gauge, sharesOf } from './usage.ts';

type Scaling = NonNullable<Kurator['spec']['scaling']>;
type AppMetric = NonNullable<Scaling['targets'][number]['metric']>;

const every = 15_000;
const patience = 3000;
const mostBytes = 1 << 20;

/** Keeps the gauges of minds up to date. */
export class Gauges {
  readonly #client: () => Client;
  readonly #now: () => Millis;
  readonly #wake: (mind: Mind) => void;
  readonly #reach: Reach;
  readonly #underWay = new WeakSet<Mind>();

  constructor(options: { client: () => Client; now: () => Millis; wake: (mind: Mind) => void; reach: Reach }) {
    this.#reach = options.reach;
    this.#client = options.client;
    this.#now = options.now;
    this.#wake = options.wake;
  }

  /** Reads them anew, if that is due. */
  refresh(mind: Mind, scaling: Scaling, scene: Scene): void {
    if (this.#underWay.has(mind) || this.#now() - (mind.gaugedAt ?? 0) < every) return;
    this.#underWay.add(mind);
    mind.gaugedAt = this.#now();
    void this.#read(mind, scaling, scene)
      .then((gauges) => {
        mind.gauges = gauges;
        this.#wake(mind);
      })
      .finally(() => this.#underWay.delete(mind));
  }

  /** When they are to be read again. */
  dueAt({ gaugedAt = 0 }: Mind): Millis {
    return gaugedAt + every;
  }

  async #read(mind: Mind, { targets }: Scaling, { pods, workload }: Scene): Promise<Map<string, Gauge>> {
    const wantsShares = targets.some(({ cpu, memory }) => cpu !== undefined || memory !== undefined);
    const metrics = targets.flatMap(({ metric }) => metric ?? []);
    const [shares, own] = await Promise.all([
      wantsShares ? this.#podMetrics(mind, workload.metadata.namespace ?? '') : new Map<string, PodMetrics>(),
      Promise.all(pods.map(async (pod) => [pod.metadata.uid, await this.#appMetrics(pod, metrics)] as const)),
    ]);
    const now = this.#now();
    const byUid = new Map(own);
    return new Map(
      pods.map((pod) => {
        const { uid = '', name } = pod.metadata;
        const used = shares.get(name);
        const common = { ...byUid.get(uid), ...latencyOf(mind, uid) };
        const usage = (of: 'requests' | 'limits') => ({
          at: now,
          metrics: { ...common, ...(used && sharesOf(pod, used, of, now)) },
        });
        return [uid, { scaling: usage('requests'), brain: usage('limits') }];
      }),
    );
  }

  /** Nothing where nobody measures: then scaling holds. */
  async #podMetrics({ missingRoles }: Mind, namespace: string): Promise<Map<string, PodMetrics>> {
    try {
      const { items } = await this.#client().list(PodMetrics, { namespace, timeout: patience, retries: 0 });
      missingRoles.delete('metrics');
      return new Map(items.map((one) => [one.metadata.name, one]));
    } catch (error) {
      if (isNotAllowed(error)) missingRoles.add('metrics');
      return new Map();
    }
  }

  async #appMetrics({ status }: Pod, metrics: readonly AppMetric[]): Promise<Record<string, number>> {
    const { podIP } = status ?? {};
    if (!podIP || this.#reach.refuses(podIP, 'assigned')) return {};
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

function latencyOf({ latencies }: Mind, uid: string): { latency?: number } {
  const latency = latencies.get(uid);
  return latency === undefined ? {} : { latency };
}

/** Empty where it can't be had, or where there is no end to it. */
async function textAt(url: string): Promise<string> {
  try {
    const { ok, body } = await fetch(url, { signal: AbortSignal.timeout(patience), redirect: 'error' });
    if (!ok || !body) return '';
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > mostBytes) return '';
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return '';
  }
}
