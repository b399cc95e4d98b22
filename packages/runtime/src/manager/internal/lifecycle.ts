/**
 * The order of things from start to end:
 *
 *   idle ─► starting ─► standby (another replica leads) ─► running ─► stopping ─► stopped
 *
 * Whatever ends it (a signal, a failure, the lead lost) leads through `stopping`: controllers drain while the lead is
 * still held and renewed; then it is given back, unless something would not end and may still act; then the rest.
 */
import type { Clock } from '../../clock.ts';
import { type Duration, parseDuration } from '../../duration.ts';
import { messageOf, RuntimeError } from '../../error.ts';
import type { Logger } from '../../insight/late-logger.ts';
import { type Runnable, type Stage, stages } from '../runnable.ts';
import type { HttpServer } from './http-server.ts';
import type { Lead } from './lead.ts';
import { RunnableGroup } from './runnable-group.ts';

/** `standby`: everything is warm, and another replica leads. */
export type ManagerPhase = 'idle' | 'starting' | 'standby' | 'running' | 'stopping' | 'stopped';

export interface LifecycleOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds from being asked to stop until everything has ended. */
  readonly drain: number;
  readonly signals: boolean;
  readonly server: Pick<HttpServer, 'listen' | 'close'> | undefined;
  /** Before anything else. */
  onStart(): void;
  /** After everything else but the server, within so many milliseconds. */
  onStopped(within: number): Promise<void>;
}

/** Why it ends. */
interface Ending {
  readonly reason: RuntimeError;
  /** Not as asked: `run` rejects with the reason. */
  readonly failed: boolean;
  /** There is nothing to wait for. */
  readonly atOnce: boolean;
}

// What comes after the controllers when stopping needs some time too.
const RESERVE = 3_000;

export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #groups: Readonly<Record<Stage, RunnableGroup>>;
  readonly #listening = Promise.withResolvers<string>();
  readonly #ending = Promise.withResolvers<Ending>();
  readonly #forced = Promise.withResolvers<Ending>();
  readonly #stopping = new AbortController();
  #lead: Lead | undefined;
  #phase: ManagerPhase = 'idle';
  #serves = false;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    const { clock, logger } = options;
    const onFailure = (reason: RuntimeError) => this.#end({ reason, failed: true, atOnce: false });
    const group = (stage: Stage) => new RunnableGroup({ stage, clock, logger, onFailure });
    this.#groups = Object.fromEntries(stages.map((stage) => [stage, group(stage)])) as Record<Stage, RunnableGroup>;
    // Whoever doesn't ask for the URL need not hear that there is none.
    this.#listening.promise.catch(() => {});
  }

  get phase(): ManagerPhase {
    return this.#phase;
  }

  /** Whether its webhooks are up. */
  get serves(): boolean {
    return this.#serves;
  }

  get runnables(): Runnable[] {
    return stages.flatMap((stage) => this.#groups[stage].runnables);
  }

  add(runnable: Runnable, stage: Stage): void {
    this.#groups[stage].add(runnable);
  }

  url(): Promise<string> {
    return this.#listening.promise;
  }

  stop(why: string): void {
    this.#end({ reason: new RuntimeError('KUR_RUNTIME_STOPPED', why), failed: false, atOnce: false });
  }

  /** The lead was lost: whatever acts breaks off before this returns. */
  lose(reason: RuntimeError): void {
    this.#groups.leader.abort(reason);
    this.#end({ reason, failed: true, atOnce: true });
  }

  async run(lead: Lead, signal?: AbortSignal): Promise<void> {
    if (this.#phase !== 'idle') {
      throw new RuntimeError('KUR_RUNTIME_STARTED_TWICE', 'this manager was run before', {
        remedy: 'make a new one: caches and controllers live only once',
      });
    }
    this.#phase = 'starting';
    this.#lead = lead;
    const stopListening = this.#listen(signal);
    // Node leaves when nothing is open, also while a replica waits for its turn.
    const presence = setInterval(() => {}, 2 ** 30);
    try {
      void this.#start(lead).catch((error) => this.#end({ reason: asReason(error), failed: true, atOnce: false }));
      const ending = await this.#ending.promise;
      const final = await Promise.race([this.#shutDown(lead, ending), this.#forced.promise]);
      if (final.failed) throw final.reason;
    } finally {
      this.#phase = 'stopped';
      clearInterval(presence);
      stopListening();
    }
  }

  async #start(lead: Lead): Promise<void> {
    const { logger, server, onStart } = this.#options;
    onStart();
    if (server) this.#listening.resolve(await server.listen());
    for (const stage of ['webhook', 'cache', 'background'] as const) {
      await this.#groups[stage].start();
      this.#serves = true;
      if (this.#stopping.signal.aborted) return;
    }
    this.#phase = 'standby';
    logger.info({}, 'everything is up');
    try {
      await lead.won(this.#stopping.signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      throw error;
    }
    // A replica that is told to stop in the very moment of its election must not begin to act.
    if (this.#stopping.signal.aborted) return;
    this.#phase = 'running';
    await this.#groups.leader.start();
  }

  #end(ending: Ending): void {
    this.#ending.resolve(ending);
    this.#stopping.abort(ending.reason);
  }

  async #shutDown(lead: Lead, ending: Ending): Promise<Ending> {
    const { clock, logger, drain, server, onStopped } = this.#options;
    const { reason, failed, atOnce } = ending;
    this.#phase = 'stopping';
    logger[failed ? 'error' : 'info']({ reason: reason.message }, 'stopping');
    this.#listening.reject(reason);
    const deadline = clock.now() + drain;
    const within = (reserve: number) => (atOnce ? 0 : Math.max(0, deadline - clock.now() - reserve));
    const { leader, background, cache, webhook } = this.#groups;
    await leader.stop(within(Math.min(RESERVE, drain / 4)), reason);
    // Whoever may still act must not be joined by another leader before the lease runs out.
    await lead.end(leader.unended.length === 0 && !atOnce);
    for (const group of [background, cache, webhook]) await group.stop(within(0), reason);
    await onStopped(Math.max(500, within(0)));
    await server?.close();
    return this.#withStragglers(ending);
  }

  /** What didn't end in time makes a failure of a stop that was asked for. */
  #withStragglers(ending: Ending): Ending {
    const left = stages.flatMap((stage) => this.#groups[stage].unended);
    if (ending.failed || left.length === 0) return ending;
    const message = `did not end within ${this.#options.drain / 1000} s: ${left.join(', ')}`;
    const remedy = 'let them heed their signal, or give the pod and the manager a longer grace period';
    return { ...ending, failed: true, reason: new RuntimeError('KUR_RUNTIME_DRAIN_TIMEOUT', message, { remedy }) };
  }

  #listen(signal: AbortSignal | undefined): () => void {
    const onAbort = () => this.stop('the signal that it was run with fired');
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const stopSignals = this.#options.signals
      ? listenToSignals(
          (name) => this.stop(`${name} came`),
          (name) => void this.#force(name),
        )
      : () => {};
    return () => {
      signal?.removeEventListener('abort', onAbort);
      stopSignals();
    };
  }

  async #force(name: string): Promise<void> {
    const reason = new RuntimeError('KUR_RUNTIME_FORCED', `${name} came again: not everything has ended in order`);
    for (const stage of stages) this.#groups[stage].abort(reason);
    await this.#lead?.end(false);
    await this.#options.server?.close();
    this.#forced.resolve({ reason, failed: true, atOnce: true });
  }
}

function asReason(error: unknown): RuntimeError {
  if (error instanceof RuntimeError) return error;
  const message = `could not start: ${messageOf(error)}`;
  return new RuntimeError('KUR_RUNTIME_NOT_STARTED', message, { cause: error });
}

/** SIGTERM and SIGINT: the first asks to stop, the second insists. */
function listenToSignals(onStop: (signal: string) => void, onForce: (signal: string) => void): () => void {
  let asked = false;
  const listener = (signal: string) => {
    if (asked) onForce(signal);
    else onStop(signal);
    asked = true;
  };
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

const VARIABLE = 'TERMINATION_GRACE_PERIOD_SECONDS';
const KUBERNETES_DEFAULT = 30_000;

/**
 * Milliseconds in which everything must have ended: the pod's grace period less a margin for the kubelet to notice and
 * for the process to exit, a sixth of it and at most 5 s. Kubernetes doesn't tell a pod its grace period; whoever sets
 * another than 30 s says so here, or in the environment variable TERMINATION_GRACE_PERIOD_SECONDS.
 */
export function drainTime(gracePeriod: Duration | undefined, environment: NodeJS.ProcessEnv = process.env): number {
  const period = gracePeriod === undefined ? periodFrom(environment) : parseDuration(gracePeriod, 'gracePeriod');
  return period - Math.min(5_000, period / 6);
}

function periodFrom(environment: NodeJS.ProcessEnv): number {
  const text = environment[VARIABLE];
  if (!text) return KUBERNETES_DEFAULT;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  throw new RuntimeError('KUR_RUNTIME_INVALID_OPTION', `${VARIABLE} is "${text}", and must be a number of seconds`, {
    remedy: "give what the pod's terminationGracePeriodSeconds says, or leave it out for 30",
  });
}
