/**
 * Calls `reconcile` for each object that something happened to, and keeps each object's trouble to itself: one that
 * throws, hangs or can't be helped never delays another.
 *
 *   caches ──► intake ──► WorkQueue ──► at most `concurrency` runs ──► success: forgotten, or called again later
 *                             ▲                                   ├──► failure: again after its backoff
 *                             └───────────────────────────────────┴──► permanent failure: when something changes
 */
import type { KubernetesObject, ObjectReference } from '@kurator/client';
import { type Duration, formatDuration, parseDuration } from '../duration.ts';
import { RuntimeError } from '../error.ts';
import { keyFor, type ObjectKey, referenceOf } from '../object-key.ts';
import { Priority } from '../queue/priority.ts';
import type { FailingItem, QueuedItem, RunningItem } from '../queue/queue-statistics.ts';
import type { TakenItem, WorkQueue } from '../queue/work-queue.ts';
import { type ControllerOptions, type ControllerSettings, settle } from './controller-options.ts';
import { Executor, type Run, type RunEnd, retryAfter } from './executor.ts';
import { openIntake } from './internal/intake.ts';
import type { ControllerStatus } from './observer.ts';
import type { PermanentError } from './permanent-error.ts';
import type { ReconcileContext, ReconcileResult } from './reconcile.ts';

/** `idle`: not started; `syncing`: waits for its caches; `stopping`: lets what runs finish. */
export type ControllerState = 'idle' | 'syncing' | 'running' | 'stopping' | 'stopped';

/** A controller, as those who start, stop and look at it see it. */
export interface Controller extends ControllerStatus {
  readonly state: ControllerState;
  readonly queue: WorkQueue;
  /** Listens to its caches, waits until all are synced, and begins. Only once in its life. */
  start(): Promise<void>;
  /**
   * Takes nothing new, lets what runs finish for as long as `timeout` (20 s unless given; 0: tells it to end at once),
   * then fires its signals and waits a moment more. Returns what still runs after that.
   */
  stop(timeout?: Duration): Promise<ObjectKey[]>;
  /** Has an object reconciled for a reason that no cache knows. */
  enqueue(reference: ObjectReference, options?: { after?: Duration; priority?: Priority }): void;
  /** Runs that ignore their signal: their places were given to others, their keys are blocked until they end. */
  stuck(): RunningItem[];
  /** At most `limit` of the objects whose last reconcile failed, the latest first. */
  failing(limit: number): FailingItem[];
  /** Kinds whose caches are not synced yet. */
  waitingFor(): string[];
}

/** Makes a controller; nothing happens before it is started. */
export function createController<T extends KubernetesObject>(options: ControllerOptions<T>): Controller {
  return new ReconcilingController(settle(options));
}

// How long a run may take to notice that its signal fired.
const GRACE = 5000;
const STOP_TIMEOUT = '20s';

class ReconcilingController<T extends KubernetesObject> implements Controller {
  readonly name: string;
  readonly kind: string;
  readonly concurrency: number;
  readonly queue: WorkQueue;
  readonly #settings: ControllerSettings<T>;
  readonly #executor: Executor;
  readonly #stopping = new AbortController();
  #state: ControllerState = 'idle';
  #closeIntake: (() => void) | undefined;
  #leaveShards: (() => void) | undefined;

  constructor(settings: ControllerSettings<T>) {
    const { name, concurrency, clock, timeout, observers, backoff = {}, retryRate, random } = settings;
    this.name = name;
    this.kind = settings.for.type.kind;
    this.concurrency = concurrency;
    this.#settings = settings;
    this.#executor = new Executor({
      name: `controller ${name}`,
      concurrency,
      timeout,
      grace: GRACE,
      observers,
      clock,
      backoff,
      random,
      ...(retryRate === undefined ? {} : { retryRate }),
      onTaken: (item) => this.#begin(item),
      tookTooLong: ({ key }) => this.#tookTooLong(key),
      // As far as anybody waits for it, it has ended.
      onStuck: (run) => this.#executor.report(run, { outcome: 'timeout', error: run.abort.signal.reason }, undefined),
    });
    this.queue = this.#executor.queue;
  }

  get state(): ControllerState {
    return this.#state;
  }

  async start(): Promise<void> {
    if (this.#state !== 'idle') {
      throw new RuntimeError('KUR_RUNTIME_STARTED_TWICE', `controller ${this.name} was started before`, {
        remedy: 'make a new controller: one that was stopped has forgotten what it was doing',
      });
    }
    this.#state = 'syncing';
    this.#listen();
    const { signal } = this.#stopping;
    try {
      await Promise.all(this.#caches().map((cache) => cache.untilSynced(signal)));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.aborted) return;
    this.#state = 'running';
    this.#executor.open();
  }

  async stop(timeout: Duration = STOP_TIMEOUT): Promise<ObjectKey[]> {
    const milliseconds = parseDuration(timeout, 'timeout');
    this.#state = 'stopping';
    this.#executor.close();
    this.#closeIntake?.();
    this.#stopping.abort(new RuntimeError('KUR_RUNTIME_STOPPED', `controller ${this.name} was stopped`));
    let left = await this.queue.drain(milliseconds);
    if (left.length > 0) {
      for (const run of this.#executor.all()) run.abort.abort(this.#stopping.signal.reason);
      left = await this.queue.drain(GRACE);
    }
    // Whatever still runs must be waited for before its key can be another replica's.
    if (left.length === 0) this.#leaveShards?.();
    this.#executor.stop();
    this.#state = 'stopped';
    return left;
  }

  enqueue(reference: ObjectReference, options: { after?: Duration; priority?: Priority } = {}): void {
    const { after = 0, priority = Priority.change } = options;
    this.queue.addAfter(keyFor(reference), parseDuration(after, 'after'), priority);
  }

  running(): RunningItem[] {
    return this.#executor.running();
  }

  stuck(): RunningItem[] {
    return this.#executor.stuck();
  }

  queued(limit: number): QueuedItem[] {
    return this.queue.queued(limit);
  }

  failing(limit: number): FailingItem[] {
    return this.queue.failing(limit);
  }

  waitingFor(): string[] {
    return this.#caches().flatMap(({ synced, type }) => (synced ? [] : [type.kind]));
  }

  #caches() {
    const { for: primary, others } = this.#settings;
    return [primary, ...others.map(({ cache }) => cache)];
  }

  #listen(): void {
    const { for: primary, predicate, others, deleted, shard } = this.#settings;
    this.#closeIntake = openIntake({
      queue: this.queue,
      primary,
      predicate,
      others,
      wantsDeleted: deleted !== undefined,
      accepts: (key) => !shard || shard.hold(key) !== undefined,
      working: () => this.#state === 'running',
      onError: (kind, error) => this.#executor.tell((observer) => observer.onSourceError?.(kind, error)),
    });
    this.#leaveShards = shard?.subscribe({
      // Listening tells of all there is. It is not news to the objects, only to us.
      onGained: (has) => primary.listen(({ key }) => has(key) && this.queue.add(key, Priority.resync))(),
      onDraining: (has, abort) =>
        this.#executor.drained(has, abort, (run) => {
          run.abort.abort(new RuntimeError('KUR_RUNTIME_RUN_ENDED', 'the object is handed over to another replica'));
        }),
    });
  }

  #begin(item: TakenItem): void {
    const { for: primary, deleted, shard } = this.#settings;
    const object = primary.get(referenceOf(item.key));
    const hold = shard?.hold(item.key);
    const isOurs = !shard || hold !== undefined;
    if (!isOurs || !(object || deleted)) {
      this.#executor.giveBack(item.key);
      return;
    }
    this.#executor.start(item, {
      hold,
      work: (run) => this.#reconcile(run, object),
      after: (run, end) => this.#requeue(run, end),
    });
  }

  async #reconcile(run: Run, object: T | undefined): Promise<RunEnd> {
    const { key, failures, abort } = run;
    const context = { key, reference: referenceOf(key), signal: abort.signal, failures };
    const work = async () => await this.#call(object, context);
    const end = await this.#executor.attempt(run, work, (result) => this.#succeeded(result));
    return await this.#followUp(end, object, context);
  }

  async #call(object: T | undefined, context: ReconcileContext) {
    if (object) return await this.#settings.reconcile(object, context);
    await this.#settings.deleted?.(context.reference, context);
    return undefined;
  }

  // biome-ignore lint/suspicious/noConfusingVoidType: as a reconcile returns it.
  #succeeded(result: ReconcileResult | void): RunEnd {
    const { resync, random } = this.#settings;
    if (result?.requeueAfter !== undefined) {
      return { outcome: 'requeue', again: parseDuration(result.requeueAfter, 'requeueAfter') };
    }
    return { outcome: 'success', again: resync === false ? undefined : resync * (0.9 + 0.2 * random()) };
  }

  /** Shows a failure for good on the object; reads again what another has written. */
  async #followUp(end: RunEnd, object: T | undefined, context: ReconcileContext): Promise<RunEnd> {
    const { outcome, error } = end;
    try {
      if (outcome === 'permanent' && object) {
        await this.#settings.onPermanentError?.(object, error as PermanentError, context);
      } else if (outcome === 'conflict') {
        await this.#settings.refresh?.(context.reference, context.signal);
      }
    } catch (another) {
      // What couldn't be told must be told later; what couldn't be read again is read in the next try.
      return outcome === 'permanent' ? { outcome: 'error', error: another } : end;
    }
    return end;
  }

  /** Returns the milliseconds until the next call; undefined if only a change calls again. */
  #requeue({ key }: Run, { outcome, error, again }: RunEnd): number | undefined {
    const { queue } = this;
    switch (outcome) {
      case 'success':
      case 'requeue':
        queue.forget(key);
        if (again !== undefined) queue.addAfter(key, again, outcome === 'success' ? Priority.resync : Priority.retry);
        return again;
      case 'permanent':
        // What is gone never changes again, and must not be remembered for ever.
        if (this.#settings.for.get(referenceOf(key))) queue.giveUp(key, error);
        else queue.forget(key);
        return undefined;
      case 'stopped':
        return undefined;
      default:
        return queue.retry(key, error, retryAfter(error));
    }
  }

  #tookTooLong(key: ObjectKey): RuntimeError {
    const { timeout } = this.#settings;
    const message = `reconcile of ${this.kind} ${key} took longer than ${formatDuration(timeout || 0)}`;
    return new RuntimeError('KUR_RUNTIME_RECONCILE_TIMEOUT', message, {
      remedy: "give the controller a longer timeout, or pass the context's signal to what takes so long",
    });
  }
}
