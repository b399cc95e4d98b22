/** What `/debug` shows, as plain data: what is queued, what runs, since when, why it failed last, who leads. */

import { type Clock, systemClock } from '../clock.ts';
import type { ControllerStatus } from '../controller/observer.ts';
import { messageOf } from '../error.ts';
import type { EventStatistics } from '../events/event-recorder.ts';
import type { ElectionState } from '../leadership/election.ts';
import type { FailingItem, RunningItem } from '../queue/queue-statistics.ts';
import { withoutSecrets } from '../redaction.ts';
import type { CheckReport } from './check.ts';
import type { ShownCache } from './metrics.ts';

/** A controller as the page shows it; ours are all of these. */
export interface ShownController extends ControllerStatus {
  readonly state?: string;
  failing?(limit: number): FailingItem[];
  stuck?(): RunningItem[];
  waitingFor?(): string[];
}

/** What the page is made from. */
export interface DebugSources {
  readonly name: string;
  readonly phase: () => string;
  readonly controllers: () => readonly ShownController[];
  readonly caches: () => readonly ShownCache[];
  readonly election: () => ElectionState | undefined;
  readonly events: () => EventStatistics;
  readonly health: () => Promise<CheckReport>;
  readonly readiness: () => Promise<CheckReport>;
  readonly clock?: Clock;
}

export interface DebugState {
  readonly name: string;
  readonly phase: string;
  readonly process: {
    readonly pid: number;
    readonly node: string;
    readonly upSeconds: number;
    readonly residentMiB: number;
    readonly heapMiB: number;
  };
  readonly health: CheckReport;
  readonly readiness: CheckReport;
  readonly leader: LeaderView | undefined;
  readonly controllers: readonly ControllerView[];
  readonly caches: readonly CacheView[];
  readonly events: EventStatistics;
}

export interface LeaderView extends Omit<ElectionState, 'trouble' | 'remaining'> {
  readonly remainingSeconds: number;
  readonly trouble: string | undefined;
}

export interface CacheView {
  readonly kind: string;
  readonly objects: number;
  readonly bytes: number;
  readonly synced: boolean;
  readonly syncSeconds: number | undefined;
  readonly silenceSeconds: number | undefined;
  readonly restarts: Readonly<Record<string, number>>;
  readonly lastTrouble: string | undefined;
}

export interface ControllerView {
  readonly name: string;
  readonly kind: string;
  readonly state: string | undefined;
  readonly concurrency: number;
  readonly waitingFor: readonly string[];
  readonly queue: { readonly depth: number; readonly delayed: number; readonly adds: number; readonly retries: number };
  readonly running: readonly { readonly key: string; readonly forSeconds: number; readonly stuck: boolean }[];
  readonly queued: readonly { readonly key: string; readonly priority: number; readonly inSeconds: number }[];
  readonly failing: readonly {
    readonly key: string;
    readonly failures: number;
    readonly agoSeconds: number;
    readonly error: string;
  }[];
}

// More than a person reads; less than what makes a page of a hundred thousand keys a burden.
const MOST = 50;

export async function debugState(sources: DebugSources): Promise<DebugState> {
  const { clock = systemClock } = sources;
  const { rss, heapUsed } = process.memoryUsage();
  const [health, readiness] = await Promise.all([sources.health(), sources.readiness()]);
  const election = sources.election();
  return {
    name: sources.name,
    phase: sources.phase(),
    process: {
      pid: process.pid,
      node: process.version,
      upSeconds: Math.round(process.uptime()),
      residentMiB: Math.round(rss / 2 ** 20),
      heapMiB: Math.round(heapUsed / 2 ** 20),
    },
    health,
    readiness,
    leader: election && leaderView(election),
    controllers: sources.controllers().map((controller) => controllerView(controller, clock)),
    caches: sources.caches().map(cacheView),
    events: sources.events(),
  };
}

function leaderView({ trouble, remaining, ...rest }: ElectionState): LeaderView {
  return { ...rest, remainingSeconds: remaining / 1000, trouble: troubleText(trouble) };
}

function cacheView({
  kind,
  objects,
  bytes,
  synced,
  syncSeconds,
  silence,
  restarts,
  lastTrouble,
}: ShownCache): CacheView {
  return {
    kind,
    objects,
    bytes,
    synced,
    syncSeconds,
    silenceSeconds: silence === undefined ? undefined : silence / 1000,
    restarts: Object.fromEntries(restarts),
    lastTrouble: troubleText(lastTrouble),
  };
}

function controllerView(controller: ShownController, clock: Clock): ControllerView {
  const { name, kind, state, concurrency, queue } = controller;
  const now = clock.now();
  const seconds = (from: number, to: number) => Math.round(to - from) / 1000;
  const stuck = new Set(controller.stuck?.().map(({ key }) => key));
  const running = Array.from(controller.running(), ({ key, since }) => ({
    key,
    forSeconds: seconds(since, now),
    stuck: stuck.has(key),
  }));
  return {
    name,
    kind,
    state,
    concurrency,
    waitingFor: controller.waitingFor?.() ?? [],
    queue: { depth: queue.depth, delayed: queue.delayed, adds: queue.adds, retries: queue.retries },
    running: running.toSorted((a, b) => b.forSeconds - a.forSeconds).slice(0, MOST),
    queued: controller.queued(MOST).map(({ key, priority, readyAt }) => ({
      key,
      priority,
      inSeconds: Math.max(0, seconds(now, readyAt)),
    })),
    failing: (controller.failing?.(MOST) ?? []).map(({ key, failures, failedAt, error }) => ({
      key,
      failures,
      agoSeconds: seconds(failedAt, now),
      error: withoutSecrets(error),
    })),
  };
}

function troubleText(trouble: unknown): string | undefined {
  if (trouble === undefined) return undefined;
  return withoutSecrets(messageOf(trouble));
}
