/** Everything that `/metrics` shows. */
import type { Registry } from 'prom-client';
import type { CacheState } from '../cache/cache.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { EventStatistics } from '../events/event-recorder.ts';
import type { ElectionState } from '../leadership/election.ts';
import type { ApiTraffic } from './api-traffic.ts';
import { type ControllerMetrics, controllerMetrics } from './controller-metrics.ts';
import { asPromMetric, type MetricFamily, type Sample } from './metric-family.ts';

/** A cache as metrics and the debug page see it. */
export interface ShownCache extends CacheState {
  readonly kind: string;
  /** From its start until it was synced; undefined before that. */
  readonly syncSeconds: number | undefined;
  /** How often its watch had to be begun again, by the reason. */
  readonly restarts: ReadonlyMap<string, number>;
}

/** Where the figures come from that no controller counts; each is asked when somebody scrapes. */
export interface MetricSources {
  readonly traffic?: ApiTraffic;
  readonly caches?: () => readonly ShownCache[];
  readonly election?: () => ElectionState | undefined;
  readonly events?: () => EventStatistics;
}

/** What Prometheus is told, under controller-runtime's names. */
export interface Metrics {
  readonly controllers: ControllerMetrics;
  /** Shows the figures of another part of the process as well. */
  add(families: readonly MetricFamily[]): void;
  /** Prom-client's registry with all of it, and figures of the process; add your own to it. Loaded when first asked for. */
  registry(): Promise<Registry>;
  /** All figures in Prometheus' text format. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

// Finer than this, looking at the event loop is work for an idle process.
const EVENT_LOOP_PRECISION = 100;

/** Makes the process's metrics; the library behind them is loaded with the first scrape. */
export function createMetrics(sources: MetricSources = {}, clock: Clock = systemClock): Metrics {
  const controllers = controllerMetrics(clock);
  const added: MetricFamily[] = [];
  let loading: Promise<Registry> | undefined;
  let loaded: Registry | undefined;
  const load = async () => {
    const { Registry, collectDefaultMetrics } = (await import('prom-client')).default;
    const registry = new Registry();
    for (const family of [...controllers.families, ...sourceFamilies(sources), ...added]) {
      registry.registerMetric(asPromMetric(family));
    }
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION });
    loaded = registry;
    return registry;
  };
  const registry = () => {
    loading ??= load();
    return loading;
  };
  return {
    controllers,
    add(families) {
      added.push(...families);
      // Once it is loaded the registry must be told too; one that is just loading has them from the list.
      if (loaded) for (const family of families) loaded.registerMetric(asPromMetric(family));
    },
    registry,
    async text() {
      const all = await registry();
      return { contentType: all.contentType, body: await all.metrics() };
    },
  };
}

function sourceFamilies({ traffic, caches, election, events }: MetricSources): MetricFamily[] {
  return [
    ...(traffic ? [traffic.family] : []),
    ...(election ? electionFamilies(election) : []),
    ...(events ? [eventFamily(events)] : []),
    ...(caches ? cacheFamilies(caches) : []),
    loopFamily(),
  ];
}

function electionFamilies(election: () => ElectionState | undefined): MetricFamily[] {
  return [
    {
      type: 'gauge',
      name: 'leader_election_master_status',
      help: "1 if this process holds the lease, 0 if it doesn't. 'name' is the lease's; group by it",
      samples() {
        const state = election();
        const name = state?.lease.slice(state.lease.indexOf('/') + 1) ?? '';
        return state ? [{ labels: { name }, value: Number(state.leading) }] : [];
      },
    },
  ];
}

function eventFamily(events: () => EventStatistics): MetricFamily {
  return {
    type: 'counter',
    name: 'kurator_events_total',
    help: 'Events told to the API server, and those that were not, by what became of them',
    samples: () => Object.entries(events()).map(([result, value]) => ({ labels: { result }, value })),
  };
}

/** Two caches of one kind, of different namespaces say, must not be two series with the same labels. */
function byKind(caches: readonly ShownCache[]): ShownCache[] {
  return [...Map.groupBy(caches, ({ kind }) => kind).values()].map((same) => same.reduce(together));
}

function together(a: ShownCache, b: ShownCache): ShownCache {
  const restarts = new Map(a.restarts);
  for (const [reason, times] of b.restarts) restarts.set(reason, (restarts.get(reason) ?? 0) + times);
  return {
    ...a,
    objects: a.objects + b.objects,
    bytes: a.bytes + b.bytes,
    synced: a.synced && b.synced,
    syncSeconds: longer(a.syncSeconds, b.syncSeconds),
    silence: longer(a.silence, b.silence),
    restarts,
  };
}

function longer(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b);
}

function cacheFamilies(all: () => readonly ShownCache[]): MetricFamily[] {
  const caches = () => byKind(all());
  const gauge = (name: string, help: string, of: (cache: ShownCache) => number | undefined): MetricFamily => ({
    type: 'gauge',
    name,
    help,
    samples: () =>
      caches().flatMap((cache) => {
        const value = of(cache);
        return value === undefined ? [] : [{ labels: { kind: cache.kind }, value }];
      }),
  });
  return [
    gauge('kurator_cache_objects', 'Objects in the cache', ({ objects }) => objects),
    gauge('kurator_cache_bytes', 'Bytes that the cache holds', ({ bytes }) => bytes),
    gauge('kurator_cache_synced', '1 once the cache is complete', ({ synced }) => Number(synced)),
    gauge('kurator_cache_sync_seconds', 'How long the cache took to be complete', ({ syncSeconds }) => syncSeconds),
    gauge('kurator_cache_silence_seconds', 'Seconds since something came from the server', ({ silence }) =>
      silence === undefined ? undefined : silence / 1000,
    ),
    {
      type: 'counter',
      name: 'kurator_watch_restarts_total',
      help: 'How often a watch had to be begun again, other than by its normal end',
      samples: () => caches().flatMap(restartSamples),
    },
  ];
}

function restartSamples({ kind, restarts }: ShownCache): Sample[] {
  return Array.from(restarts, ([reason, value]) => ({ labels: { kind, reason }, value }));
}

/** How busy the event loop was between two scrapes: 1 is always. Costs nothing in between. */
function loopFamily(): MetricFamily {
  let before = performance.eventLoopUtilization();
  return {
    type: 'gauge',
    name: 'kurator_event_loop_utilization',
    help: 'The share of time in which the event loop was busy since the last scrape',
    samples() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return [{ labels: {}, value: utilization }];
    },
  };
}
