/**
 * Takes keys out of a queue and runs something for each: at most `concurrency` at once, never two of one key, each in its
 * time and under the right to its shard, and told to those who look on. What is run, and what comes after it, is up to whoever
 * has the executor: a controller or a schedule.
 *
 *   WorkQueue ──► onTaken ──► start ──► work ──► after: the queue is told when the key comes again ──► observers
 *                    └──► giveBack
 */
import { ClientError, isConflict } from '@kurator/client';
import type { Clock } from '../clock.ts';
import type { RuntimeError } from '../error.ts';
import type { ObjectKey } from '../object-key.ts';
import type { RunningItem } from '../queue/queue-statistics.ts';
import { type TakenItem, WorkQueue, type WorkQueueOptions } from '../queue/work-queue.ts';
import { Watchdog } from './internal/watchdog.ts';
import type { ControllerObserver, ReconcileOutcome } from './observer.ts';
import { PermanentError } from './permanent-error.ts';
import type { ShardHold } from './shard-gate.ts';

/** A run under way. */
export interface Run extends TakenItem {
  readonly startedAt: number;
  readonly abort: AbortController;
  /** Its time was up. */
  timedOut: boolean;
  /** It was told to end, and didn't: its place was given to others. */
  stuck: boolean;
  /** Those who look on have heard how it ended. */
  reported: boolean;
  /** Since when it is expected to end. */
  notice: Notice | undefined;
}

interface Notice {
  readonly startedAt: number;
  readonly run: Run;
}

/** How a run ended. */
export interface RunEnd {
  readonly outcome: ReconcileOutcome;
  readonly error?: unknown;
  /** Milliseconds after which it asks to be called again. */
  readonly again?: number | undefined;
}

export interface ExecutorOptions<O extends ControllerObserver> extends Omit<WorkQueueOptions, 'onReady'> {
  /** As a warning names it: `controller echo`. */
  readonly name: string;
  readonly concurrency: number;
  /** Milliseconds that a run may take. */
  readonly timeout: number | false;
  /** Milliseconds that a run may take to end after it was told to. */
  readonly grace: number;
  readonly observers: readonly O[];
  readonly clock: Clock;
  /** A key was taken: `start` something for it, or give it back. */
  onTaken(item: TakenItem): void;
  /** Why a run is told to end whose time is up. */
  tookTooLong(run: Run): RuntimeError;
  /** A run went on after it was told to end, and those who look on are about to hear of that. */
  onStuck?(run: Run): void;
}

/** What a run is. */
export interface Work {
  readonly hold: ShardHold | undefined;
  /** What to do when the right to the key is lost; the run is told to end unless given. */
  onLost?(run: Run, reason: unknown): void;
  /** Never throws: see {@link Executor.attempt}. */
  work(run: Run): Promise<RunEnd>;
  /** Tells the queue what comes next; returns in how many milliseconds that is, undefined if only a change calls again. */
  after(run: Run, end: RunEnd): number | undefined;
}

export class Executor<O extends ControllerObserver = ControllerObserver> {
  readonly queue: WorkQueue;
  readonly #options: ExecutorOptions<O>;
  readonly #runs = new Map<ObjectKey, Run>();
  readonly #waiters = new Set<{ readonly runs: Set<Run>; resolve(): void }>();
  readonly #deadlines: Watchdog<Run> | undefined;
  readonly #notices: Watchdog<Notice>;
  /** Places that are taken. */
  #active = 0;
  #isOpen = false;
  #pumpIsDue = false;

  constructor(options: ExecutorOptions<O>) {
    const { clock, timeout, grace } = options;
    this.#options = options;
    this.queue = new WorkQueue({ ...options, onReady: () => this.#schedulePump() });
    const nothing = () => {};
    const onIgnored = ({ run }: Notice) => this.#giveUp(run);
    this.#notices = new Watchdog({ clock, timeout: grace, grace: 0, onTimeout: onIgnored, onStuck: nothing });
    if (timeout === false) return;
    const onTimeout = (run: Run) => {
      run.timedOut = true;
      this.abort(run, options.tookTooLong(run));
    };
    this.#deadlines = new Watchdog({ clock, timeout, grace: 0, onTimeout, onStuck: nothing });
  }

  /** Begins to take keys. */
  open(): void {
    this.#isOpen = true;
    this.#schedulePump();
  }

  /** Takes no more keys; what runs goes on. */
  close(): void {
    this.#isOpen = false;
  }

  /** Waits for nobody any more. */
  stop(): void {
    this.#deadlines?.stop();
    this.#notices.stop();
  }

  /** There is nothing to be done for a key that was taken. */
  giveBack(key: ObjectKey): void {
    this.queue.forget(key);
    this.queue.done(key);
  }

  start(item: TakenItem, { hold, onLost, work, after }: Work): Run {
    const run: Run = {
      ...item,
      startedAt: this.#options.clock.now(),
      abort: new AbortController(),
      timedOut: false,
      stuck: false,
      reported: false,
      notice: undefined,
    };
    this.#active++;
    this.#runs.set(run.key, run);
    this.#deadlines?.start(run);
    this.tell((observer) => observer.onReconcileStart(run.key, run.waited / 1000));
    const lose = onLost ?? ((_, reason) => run.abort.abort(reason));
    const unbind = hold && whenFired(hold.signal, (reason) => lose(run, reason));
    const working = hold ? hold.run(() => work(run)) : work(run);
    void working.then((end) => {
      unbind?.();
      this.#end(run, end, after(run, end));
    });
    return run;
  }

  /** Does the work of a run, inside what those who look on put around it; says how it ended, whatever it throws. */
  async attempt<R>(run: Run, work: () => Promise<R>, succeeded: (result: R) => RunEnd): Promise<RunEnd> {
    try {
      return succeeded(await this.#around(run.key, work));
    } catch (error) {
      if (run.timedOut) return { outcome: 'timeout', error };
      if (run.abort.signal.aborted) return { outcome: 'stopped', error };
      return { outcome: outcomeOf(error, run.failures), error };
    }
  }

  /** Tells a run to end; one that doesn't in time is stuck. */
  abort(run: Run, reason: unknown): void {
    if (run.notice) return;
    run.notice = { startedAt: this.#options.clock.now(), run };
    this.#notices.start(run.notice);
    run.abort.abort(reason);
  }

  of(key: ObjectKey): Run | undefined {
    return this.#runs.get(key);
  }

  all(has: (key: ObjectKey) => boolean = () => true): Run[] {
    return Array.from(this.#runs.values()).filter(({ key }) => has(key));
  }

  running(): RunningItem[] {
    return this.all().map(({ key, startedAt }) => ({ key, since: startedAt }));
  }

  stuck(): RunningItem[] {
    return this.all()
      .filter(({ stuck }) => stuck)
      .map(({ key, startedAt }) => ({ key, since: startedAt }));
  }

  /** Resolves when those that run now for these keys have ended. */
  async untilEnded(has?: (key: ObjectKey) => boolean): Promise<void> {
    const runs = new Set(this.all(has));
    if (runs.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { runs, resolve };
    this.#waiters.add(waiter);
    await promise;
    this.#waiters.delete(waiter);
  }

  /** The same for keys that will be another's; those that still run when `abort` fires are broken off. */
  async drained(has: (key: ObjectKey) => boolean, abort: AbortSignal, breakOff: (run: Run) => void): Promise<void> {
    const stopListening = whenFired(abort, () => {
      for (const run of this.all(has)) breakOff(run);
    });
    await this.untilEnded(has);
    stopListening();
  }

  tell(what: (observer: O) => void): void {
    tellObservers(this.#options.name, this.#options.observers, what);
  }

  /** Those who look on hear how a run ended, once. */
  report(run: Run, { outcome, error }: RunEnd, again: number | undefined): void {
    if (run.reported || this.#options.observers.length === 0) return;
    run.reported = true;
    const end = {
      outcome,
      durationSeconds: (this.#options.clock.now() - run.startedAt) / 1000,
      ...(error === undefined ? {} : { error }),
      ...(again === undefined ? {} : { againInSeconds: again / 1000 }),
    };
    this.tell((observer) => observer.onReconcileEnd(run.key, end));
  }

  // Not at once: whoever adds is in the middle of something, and a burst of changes of one object is one reconcile.
  #schedulePump(): void {
    if (this.#pumpIsDue || !this.#isOpen) return;
    this.#pumpIsDue = true;
    queueMicrotask(this.#pump);
  }

  readonly #pump = (): void => {
    this.#pumpIsDue = false;
    while (this.#isOpen && this.#active < this.#options.concurrency) {
      const item = this.queue.take();
      if (!item) return;
      this.#options.onTaken(item);
    }
  };

  #end(run: Run, end: RunEnd, again: number | undefined): void {
    this.#runs.delete(run.key);
    this.#deadlines?.end(run);
    if (run.notice) this.#notices.end(run.notice);
    this.queue.done(run.key);
    for (const { runs, resolve } of this.#waiters) if (runs.delete(run) && runs.size === 0) resolve();
    if (!run.stuck) this.#active--;
    this.report(run, end, again);
    this.#schedulePump();
  }

  #giveUp(run: Run): void {
    run.stuck = true;
    this.#active--;
    this.#options.onStuck?.(run);
    this.tell((observer) => observer.onReconcileStuck?.(run.key));
    this.#schedulePump();
  }

  #around<R>(key: ObjectKey, work: () => R): R {
    const wrap = (inner: () => R, observer: O) => (observer.around ? () => observer.around?.(key, inner) as R : inner);
    return this.#options.observers.reduce(wrap, work)();
  }
}

/** Those who look on hear of something. An onlooker's mistake must not become the object's. */
export function tellObservers<O>(whose: string, observers: readonly O[], what: (observer: O) => void): void {
  for (const observer of observers) {
    try {
      what(observer);
    } catch (error) {
      process.emitWarning(`an observer of ${whose} threw: ${error}`);
    }
  }
}

/** Calls back when a signal fires, at once if it has; returns how to stop that. */
function whenFired(signal: AbortSignal, callback: (reason: unknown) => void): () => void {
  const onAbort = () => callback(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

// Somebody who is quicker this many times in a row is no accident, and should be seen.
const QUIET_CONFLICTS = 5;

function outcomeOf(error: unknown, failures: number): ReconcileOutcome {
  if (error instanceof PermanentError) return 'permanent';
  if (isConflict(error) && !isOwnershipConflict(error) && failures < QUIET_CONFLICTS) return 'conflict';
  return 'error';
}

/** Two managers want the same field to be different: no newer object will change that. */
function isOwnershipConflict(error: unknown): boolean {
  return error instanceof ClientError && error.causes.some(({ reason }) => reason === 'FieldManagerConflict');
}

/** Milliseconds that the server asked to be left alone. */
export function retryAfter(error: unknown): number {
  return error instanceof ClientError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}
