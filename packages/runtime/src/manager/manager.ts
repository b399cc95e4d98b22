/** What an operator runs in: everything that it needs around its controllers, put together. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client, ResourceType } from '@kurator/client';
import type { Caches } from '../cache/cache.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerObserver } from '../controller/observer.ts';
import type { Duration } from '../duration.ts';
import { createEventRecorder, type EventRecorder } from '../events/event-recorder.ts';
import { ApiTraffic } from '../insight/api-traffic.ts';
import { type Logger, lateLogger } from '../insight/late-logger.ts';
import { createMetrics, type Metrics } from '../insight/metrics.ts';
import { ReconcileLog } from '../insight/reconcile-log.ts';
import { createTracing } from '../insight/tracing.ts';
import { fencedClient } from '../leadership/fenced-client.ts';
import { type Check, type CheckReport, runChecks } from './check.ts';
import { apiServerCheck, cachesCheck } from './internal/api-readiness.ts';
import { controllerRunnable } from './internal/controller-runnable.ts';
import { type DebugAccess, endpoints } from './internal/endpoints.ts';
import { drainTime } from './internal/grace.ts';
import { createHttpServer, type HttpServerOptions } from './internal/http-server.ts';
import { electedLead, type LeaderElectionSettings, unrivalled } from './internal/lead.ts';
import { Lifecycle, type ManagerPhase } from './internal/lifecycle.ts';
import { ObservedCaches } from './internal/observed-caches.ts';
import { serverAge } from './internal/server-age.ts';
import type { Runnable, Stage } from './runnable.ts';

/** What a manager needs to know; all but the client has a default. */
export interface ManagerOptions {
  readonly client: Client;
  /** The operator's name, as events and logs give it: `example.com/myapp-operator`. `kurator` unless given. */
  readonly name?: string;
  /** How replicas agree on who acts; false (there is only one) unless given. */
  readonly leaderElection?: LeaderElectionSettings | false;
  /** Probes, metrics and the debug page; on port 8080 of all addresses unless given, false for none. */
  readonly http?: (HttpServerOptions & { readonly debug?: DebugAccess }) | false;
  /**
   * The pod's terminationGracePeriodSeconds; 30 s unless given here or by TERMINATION_GRACE_PERIOD_SECONDS. Everything
   * ends five seconds before it is over.
   */
  readonly gracePeriod?: Duration;
  /**
   * What to do about a kind that the API server doesn't have when a cache of it is started. `wait`: until its definition
   * is installed, not ready meanwhile; `fail`: `run` rejects. `wait` unless given.
   */
  readonly missingKinds?: 'wait' | 'fail';
  /** Whether SIGTERM and SIGINT stop it, and the second of them at once; true unless given. */
  readonly signals?: boolean;
  /** JSON lines on standard output unless given. */
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** Everything that one operator process runs. */
export interface Manager {
  readonly phase: ManagerPhase;
  /** For what any replica may do; its requests appear in traces. */
  readonly client: Client;
  /** For what only the leader may do: refuses to write as soon as this process can't be sure to lead. */
  readonly leaderClient: Client;
  /** Run, watched and waited for by the manager, in every replica. */
  readonly caches: Caches;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Adds something to run, as `background` unless given. Once the others of its stage run, it is started at once. */
  add(runnable: Runnable, stage?: Stage): void;
  /** Adds a controller, to run while this process leads; as `background`, in every replica, where they share its keys. */
  addController(controller: Controller, stage?: Stage): void;
  /** What to give a controller of this name and kind as its observers: metrics, logs and traces. */
  observers(controller: string, kind: string): ControllerObserver[];
  /** Adds a reason to restart the process. */
  addHealthCheck(check: Check): void;
  /** Adds a reason to send it nothing. */
  addReadinessCheck(check: Check): void;
  health(): Promise<CheckReport>;
  readiness(): Promise<CheckReport>;
  /** Where its HTTP server can be reached from this machine, once it listens. */
  url(): Promise<string>;
  /** Throws unless this process surely leads at this instant, or there is no election. */
  fence(): void;
  /**
   * Runs until it is asked to stop, and resolves when all has ended in order. Rejects when something failed, the lead
   * was lost, or something would not end in time: let the process end then.
   */
  run(signal?: AbortSignal): Promise<void>;
  /** Asks it to stop; `run` resolves when that is done. */
  stop(): void;
}

/** Makes a manager; nothing happens before it is run. */
export function createManager(options: ManagerOptions): Manager {
  const { client: given, name = 'kurator', clock = systemClock, leaderElection = false, http = {} } = options;
  const logger = (options.logger ?? lateLogger(defaultLogger)).child({ operator: name });
  const traffic = new ApiTraffic(given.config.server, clock);
  const tracing = createTracing();
  const client = tracing.client(given);
  const controllers: Controller[] = [];
  const events = createEventRecorder({
    client: given,
    reportingController: name,
    clock,
    onTrouble: (what, error) => logger.warn(error === undefined ? {} : { error }, what),
  });
  const caches = new ObservedCaches({
    client: given,
    clock,
    failsWithoutKind: options.missingKinds === 'fail',
    onNew: (cache) => lifecycle.add(cache, 'cache'),
    onTrouble: (kind, error) => logger.warn({ kind, error }, 'a watch was broken off: it begins again'),
    onFailure: (error) => logger.error({ error, remedy: error.remedy }, 'a cache goes on with what it can'),
  });
  const lead = leaderElection
    ? electedLead(leaderElection, { client: given, name, clock, logger, events, onLost: (why) => lifecycle.lose(why) })
    : unrivalled;
  const metrics = createMetrics(
    {
      traffic,
      caches: () => caches.shown(),
      events: () => events.statistics,
      ...(leaderElection ? { election: () => lead.state() } : {}),
    },
    clock,
  );

  // A cache that is filled through a webhook of our own waits for us to be ready: we must not wait for it.
  const needsUs = (type: ResourceType) => lifecycle.runnables.some((runnable) => runnable.isNeededToRead?.(type));
  const servesItself = () =>
    lifecycle.phase === 'starting' && lifecycle.serves && caches.all().some(({ type }) => needsUs(type));
  const healthChecks: Check[] = [eventLoopCheck];
  const readinessChecks: Check[] = [
    { name: 'manager', check: () => (servesItself() ? undefined : unready[lifecycle.phase]) },
    cachesCheck(() => caches.all().filter(({ type }) => !needsUs(type))),
    apiServerCheck(given, traffic, clock),
    ...(leaderElection ? [lead.check] : []),
  ];
  const checksOf = (what: 'health' | 'readiness') =>
    lifecycle.runnables.flatMap((runnable) => {
      const check = runnable[what]?.bind(runnable);
      return check ? [{ name: runnable.name, check }] : [];
    });
  const health = () => runChecks([...healthChecks, ...checksOf('health')]);
  const readiness = () => runChecks([...readinessChecks, ...checksOf('readiness')]);

  const sources = {
    name,
    clock,
    phase: () => lifecycle.phase,
    controllers: () => controllers,
    caches: () => caches.shown(),
    election: () => lead.state(),
    events: () => events.statistics,
    health,
    readiness,
  };
  const lifecycle = new Lifecycle({
    clock,
    logger,
    drain: drainTime(options.gracePeriod),
    signals: options.signals ?? true,
    server: http ? createHttpServer(endpoints({ debug: http.debug ?? 'local', metrics, sources }), http) : undefined,
    onStart() {
      traffic.start();
      void tracing.load();
    },
    async onStopped(within) {
      await events.stop(Math.min(within, 5_000));
      traffic.stop();
    },
  });

  lifecycle.add(serverAge(given), 'background');

  return {
    get phase() {
      return lifecycle.phase;
    },
    client,
    leaderClient: leaderElection ? fencedClient(client, () => lead.fence()) : client,
    caches,
    events,
    metrics,
    logger,
    add: (runnable, stage = 'background') => lifecycle.add(runnable, stage),
    addController(controller, stage = 'leader') {
      controllers.push(controller);
      metrics.controllers.show(controller);
      lifecycle.add(controllerRunnable(controller), stage);
    },
    observers: (controller, kind) => [
      metrics.controllers.observer(controller),
      new ReconcileLog(logger, controller, kind),
      tracing.observer(controller, kind),
    ],
    addHealthCheck: (check) => void healthChecks.push(check),
    addReadinessCheck: (check) => void readinessChecks.push(check),
    health,
    readiness,
    url: () => lifecycle.url(),
    fence: () => lead.fence(),
    run: (signal) => lifecycle.run(lead, signal),
    stop: () => lifecycle.stop('it was asked to stop'),
  };
}

/** Why it is not ready, by its phase. */
const unready: Record<ManagerPhase, string | undefined> = {
  idle: 'it was not started',
  starting: 'it is starting',
  standby: undefined,
  running: undefined,
  stopping: 'it is stopping',
  stopped: 'it has stopped',
};

// Longer than that, and leases and watches are lost.
const LONGEST_TURN = 5_000;

/** That it is answered at all says that the event loop turns; how long a turn takes says how well. */
const eventLoopCheck: Check = {
  name: 'event-loop',
  async check() {
    const begun = performance.now();
    await nextTurn();
    const took = performance.now() - begun;
    return took > LONGEST_TURN ? `a turn of the event loop took ${Math.round(took)} ms` : undefined;
  },
};

async function defaultLogger(): Promise<Logger> {
  const { createLogger } = await import('../insight/logger.ts');
  return createLogger();
}
