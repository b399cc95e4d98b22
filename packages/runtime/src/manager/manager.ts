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
import { type Check, type CheckReport, runChecks } from '../insight/check.ts';
import { type Logger, lateLogger } from '../insight/late-logger.ts';
import { createMetrics, type Metrics } from '../insight/metrics.ts';
import { ReconcileLog } from '../insight/reconcile-log.ts';
import { createTracing } from '../insight/tracing.ts';
import type { LeaderElectionSettings } from '../leadership/election.ts';
import { fencedClient } from '../leadership/fenced-client.ts';
import { apiServerCheck, cachesCheck, serverAge } from './internal/api-readiness.ts';
import { AuthorizedMetrics } from './internal/authorized-metrics.ts';
import { type DebugAccess, endpoints, type MetricsAccess, metricsRoute } from './internal/endpoints.ts';
import { createHttpServer, type HttpServerOptions } from './internal/http-server.ts';
import { electedLead, unrivalled } from './internal/lead.ts';
import { drainTime, Lifecycle, type ManagerPhase } from './internal/lifecycle.ts';
import { controllerRunnable } from './internal/runnable-group.ts';
import { ObservedCaches } from './observed-caches.ts';
import type { Runnable, Stage } from './runnable.ts';

/** What a manager serves over HTTP, where, and for whom. */
export interface HttpOptions extends HttpServerOptions {
  /** `local` unless given. */
  readonly debug?: DebugAccess;
  /**
   * `anyone` unless given. Where it is `authorized`, they are served over TLS on a port of their own and nowhere else, with a
   * certificate that the operator keeps in the Secret `NAME-metrics`; who may read them is what the API server says.
   */
  readonly metrics?: MetricsAccess;
  /** The port of metrics that are `authorized`; 8443 unless given, any that is free where `port` is 0. */
  readonly metricsPort?: number;
}

/** What a manager needs to know; all but the client has a default. */
export interface ManagerOptions {
  readonly client: Client;
  /** The operator's name, as events and logs give it: `example.com/myapp-operator`. `kurator` unless given. */
  readonly name?: string;
  /** How replicas agree on who acts; false (there is only one) unless given. */
  readonly leaderElection?: LeaderElectionSettings | false;
  /** Probes, metrics and the debug page; on port 8080 of all addresses unless given, false for none. */
  readonly http?: HttpOptions | false;
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
  /** Where its metrics can be read from this machine, once they are served. */
  metricsUrl(): Promise<string>;
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
  const { debug = 'local', metrics: access = 'anyone' } = http || {};
  const lifecycle = new Lifecycle({
    clock,
    logger,
    drain: drainTime(options.gracePeriod),
    signals: options.signals ?? true,
    server: http ? createHttpServer(endpoints({ debug, access, metrics, sources }), http) : undefined,
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
  const secured = http && access === 'authorized' ? authorizedMetrics(http) : undefined;
  // Before the caches: that they are not filled is what somebody may want to see.
  if (secured) lifecycle.add(secured, 'webhook');

  function authorizedMetrics({ host, port, metricsPort = port === 0 ? 0 : METRICS_PORT }: HttpOptions) {
    const listen = { port: metricsPort, ...(host === undefined ? {} : { host }) };
    return new AuthorizedMetrics({ client: given, clock, name, listen, route: metricsRoute(metrics) });
  }

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
    metricsUrl: async () => `${await (secured ?? lifecycle).url()}/metrics`,
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

const METRICS_PORT = 8443;

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
