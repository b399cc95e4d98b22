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
import { type TakenItem, WorkQueue } from '../queue/work-queue.ts';
import type { Controller, ControllerState } from './controller-handle.ts';
import { type ControllerOptions, type ControllerSettings, settle } from './controller-options.ts';
import { outcomeOf, retryAfter } from './internal/failure.ts';
import { openIntake } from './internal/intake.ts';
import { ShardLink } from './internal/shard-link.ts';
import { Watchdog } from './internal/watchdog.ts';
import type { ControllerObserver, ReconcileEnd, ReconcileOutcome } from './observer.ts';
import type { PermanentError } from './permanent-error.ts';
import type { ReconcileContext, ReconcileResult } from './reconcile.ts';
import type { ShardHold } from './shard-gate.ts';

export type { Controller, ControllerState } from './controller-handle.ts';

/** Makes a controller; nothing happens before it is started. */
export function createController<T extends KubernetesObject>(options: ControllerOptions<T>): Controller {
  return new ReconcilingController(settle(options));
}

/** A reconcile under way. */
interface Run extends TakenItem {
  readonly startedAt: number;
  readonly abort: AbortController;
  /** Its time was up. */
  timedOut: boolean;
  /** It didn't care, and no longer has a place. */
  stuck: boolean;
}

interface Verdict {
  readonly outcome: ReconcileOutcome;
  readonly error?: unknown;
  /** Milliseconds until the next call; undefined if only a change calls again. */
  readonly again?: number | undefined;
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
  readonly #watchdog: Watchdog<Run> | undefined;
  readonly #shards: ShardLink | undefined;
  readonly #runs = new Set<Run>();
  readonly #stopping = new AbortController();
  #state: ControllerState = 'idle';
  #closeIntake: (() => void) | undefined;
  /** Places that are taken. */
  #active = 0;
  #pumpIsDue = false;

  constructor(settings: ControllerSettings<T>) {
    const { name, concurrency, clock, timeout, backoff = {}, retryRate, random } = settings;
    this.name = name;
    this.kind = settings.for.type.kind;
    this.concurrency = concurrency;
    this.#settings = settings;
    const onReady = () => this.#schedulePump();
    const rate = retryRate === undefined ? {} : { retryRate };
    this.queue = new WorkQueue({ clock, backoff, random, onReady, ...rate });
    const { shard: gate, for: primary } = settings;
    if (gate) this.#shards = new ShardLink({ gate, primary, queue: this.queue, runs: () => this.#runs });
    if (timeout === false) return;
    const onTimeout = (run: Run) => this.#onTimeout(run);
    const onStuck = (run: Run) => this.#onStuck(run);
    this.#watchdog = new Watchdog({ clock, timeout, grace: GRACE, onTimeout, onStuck });
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
    this.#schedulePump();
  }

  async stop(timeout: Duration = STOP_TIMEOUT): Promise<ObjectKey[]> {
    const milliseconds = parseDuration(timeout, 'timeout');
    this.#state = 'stopping';
    this.#closeIntake?.();
    this.#stopping.abort(new RuntimeError('KUR_RUNTIME_STOPPED', `controller ${this.name} was stopped`));
    let left = await this.queue.drain(milliseconds);
    if (left.length > 0) {
      for (const run of this.#runs) run.abort.abort(this.#stopping.signal.reason);
      left = await this.queue.drain(GRACE);
    }
    // Whatever still runs must be waited for before its key can be another replica's.
    if (left.length === 0) this.#shards?.close();
    this.#watchdog?.stop();
    this.#state = 'stopped';
    return left;
  }

  enqueue(reference: ObjectReference, options: { after?: Duration; priority?: Priority } = {}): void {
    const { after = 0, priority = Priority.change } = options;
    this.queue.addAfter(keyFor(reference), parseDuration(after, 'after'), priority);
  }

  running(): RunningItem[] {
    return Array.from(this.#runs, ({ key, startedAt }) => ({ key, since: startedAt }));
  }

  stuck(): RunningItem[] {
    const stuck = Array.from(this.#runs).filter((run) => run.stuck);
    return stuck.map(({ key, startedAt }) => ({ key, since: startedAt }));
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
    const { for: primary, counts, others, deleted } = this.#settings;
    this.#closeIntake = openIntake({
      queue: this.queue,
      primary,
      counts,
      others,
      wantsDeleted: deleted !== undefined,
      accepts: (key) => !this.#shards || this.#shards.hold(key) !== undefined,
      working: () => this.#state === 'running',
      onError: (kind, error) => this.#tell((observer) => observer.onSourceError?.(kind, error)),
    });
    this.#shards?.open();
  }

  // Not at once: whoever adds is in the middle of something, and a burst of changes of one object is one reconcile.
  #schedulePump(): void {
    if (this.#pumpIsDue || this.#state !== 'running') return;
    this.#pumpIsDue = true;
    queueMicrotask(this.#pump);
  }

  readonly #pump = (): void => {
    this.#pumpIsDue = false;
    while (this.#active < this.concurrency) {
      const item = this.queue.take();
      if (!item) return;
      this.#begin(item);
    }
  };

  #begin(item: TakenItem): void {
    const reference = referenceOf(item.key);
    const object = this.#settings.for.get(reference);
    const hold = this.#shards?.hold(item.key);
    const isOurs = !this.#shards || hold !== undefined;
    if (isOurs && (object || this.#settings.deleted)) this.#run(item, reference, object, hold);
    else this.#skip(item);
  }

  #skip({ key }: TakenItem): void {
    this.queue.forget(key);
    this.queue.done(key);
  }

  #run(item: TakenItem, reference: ObjectReference, object: T | undefined, hold: ShardHold | undefined): void {
    const startedAt = this.#settings.clock.now();
    const run = { ...item, startedAt, abort: new AbortController(), timedOut: false, stuck: false };
    this.#active++;
    this.#runs.add(run);
    this.#watchdog?.start(run);
    this.#tell((observer) => observer.onReconcileStart(run.key, run.waited / 1000));
    const context = { key: run.key, reference, signal: run.abort.signal, failures: run.failures };
    const unbind = hold && this.#shards?.bind(run, hold);
    const judge = () => this.#judge(run, object, context);
    void (hold ? hold.run(judge) : judge()).then((verdict) => {
      unbind?.();
      this.#end(run, verdict);
    });
  }

  async #judge(run: Run, object: T | undefined, context: ReconcileContext): Promise<Verdict> {
    try {
      const result = await this.#around(run.key, async () => await this.#call(object, context));
      return this.#succeeded(result);
    } catch (error) {
      return await this.#failed(run, object, context, error);
    }
  }

  async #call(object: T | undefined, context: ReconcileContext) {
    if (object) return await this.#settings.reconcile(object, context);
    await this.#settings.deleted?.(context.reference, context);
    return undefined;
  }

  // biome-ignore lint/suspicious/noConfusingVoidType: as a reconcile returns it.
  #succeeded(result: ReconcileResult | void): Verdict {
    const { resync, random } = this.#settings;
    if (result?.requeueAfter !== undefined) {
      return { outcome: 'requeue', again: parseDuration(result.requeueAfter, 'requeueAfter') };
    }
    return { outcome: 'success', again: resync === false ? undefined : resync * (0.9 + 0.2 * random()) };
  }

  async #failed(run: Run, object: T | undefined, context: ReconcileContext, error: unknown): Promise<Verdict> {
    if (run.timedOut) return { outcome: 'timeout', error };
    if (run.abort.signal.aborted) return { outcome: 'stopped', error };
    const outcome = outcomeOf(error, run.failures);
    try {
      if (outcome === 'permanent' && object) {
        await this.#settings.onPermanentError?.(object, error as PermanentError, context);
      } else if (outcome === 'conflict') {
        await this.#settings.refresh?.(context.reference, context.signal);
      }
    } catch (another) {
      // What couldn't be told must be told later; what couldn't be read again is read in the next try.
      return outcome === 'permanent' ? { outcome: 'error', error: another } : { outcome, error };
    }
    return { outcome, error };
  }

  #end(run: Run, verdict: Verdict): void {
    const again = this.#requeue(run, verdict);
    this.#runs.delete(run);
    this.#watchdog?.end(run);
    this.queue.done(run.key);
    this.#shards?.ended();
    if (!run.stuck) {
      this.#active--;
      this.#report(run, verdict, again);
    }
    this.#schedulePump();
  }

  /** Returns the milliseconds until the next call; undefined if only a change calls again. */
  #requeue({ key }: Run, { outcome, error, again }: Verdict): number | undefined {
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

  #onTimeout(run: Run): void {
    const { timeout } = this.#settings;
    const message = `reconcile of ${this.kind} ${run.key} took longer than ${formatDuration(timeout || 0)}`;
    const remedy = "give the controller a longer timeout, or pass the context's signal to what takes so long";
    run.timedOut = true;
    run.abort.abort(new RuntimeError('KUR_RUNTIME_RECONCILE_TIMEOUT', message, { remedy }));
  }

  #onStuck(run: Run): void {
    run.stuck = true;
    this.#active--;
    this.#report(run, { outcome: 'timeout', error: run.abort.signal.reason }, undefined);
    this.#tell((observer) => observer.onReconcileStuck?.(run.key));
    this.#schedulePump();
  }

  #report({ key, startedAt }: Run, { outcome, error }: Verdict, again: number | undefined): void {
    if (this.#settings.observers.length === 0) return;
    const end: ReconcileEnd = {
      outcome,
      durationSeconds: (this.#settings.clock.now() - startedAt) / 1000,
      ...(error === undefined ? {} : { error }),
      ...(again === undefined ? {} : { againInSeconds: again / 1000 }),
    };
    this.#tell((observer) => observer.onReconcileEnd(key, end));
  }

  #around<R>(key: ObjectKey, reconcile: () => R): R {
    const wrap = (inner: () => R, observer: ControllerObserver) =>
      observer.around ? () => observer.around?.(key, inner) as R : inner;
    return this.#settings.observers.reduce(wrap, reconcile)();
  }

  #tell(what: (observer: ControllerObserver) => void): void {
    for (const observer of this.#settings.observers) {
      try {
        what(observer);
      } catch (error) {
        // An onlooker's mistake must not become the object's.
        process.emitWarning(`an observer of controller ${this.name} threw: ${error}`);
      }
    }
  }
}
