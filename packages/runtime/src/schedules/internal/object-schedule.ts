/**
 * Runs what is due. Each object that is attended to has a plan, and each plan is a key in one queue, which has one timer
 * for all of them. An object's runs never overlap, and they end with its plan.
 *
 *   cache, shards ──► attendance ──► plans ──► WorkQueue, until it is due ──► runs ──► the next time, by the rhythm
 */
import type { KubernetesObject, ObjectReference } from '@kurator/client';
import type { ClockTimer } from '../../clock.ts';
import { retryAfter } from '../../controller/internal/failure.ts';
import type { ReconcileOutcome } from '../../controller/observer.ts';
import type { ShardHold } from '../../controller/shard-gate.ts';
import { parseDuration } from '../../duration.ts';
import type { RunContext } from '../../manager/runnable.ts';
import { keyFor, type ObjectKey, referenceOf } from '../../object-key.ts';
import { fired, pause } from '../../pause.ts';
import type { QueuedItem, RunningItem } from '../../queue/queue-statistics.ts';
import { type TakenItem, WorkQueue } from '../../queue/work-queue.ts';
import type { Schedule } from '../schedule.ts';
import { attend } from './attendance.ts';
import { Audience } from './audience.ts';
import { watchDate } from './date-watch.ts';
import { nextIsDue, noLongerAttended, stillRunning, tookTooLong } from './endings.ts';
import { type Plan, Plans } from './plans.ts';
import { type Run, Runs, type Verdict, verdictOf } from './runs.ts';
import type { ScheduleSettings } from './settings.ts';

/** What a run is part of. */
interface Occasion<T> {
  readonly run: Run;
  readonly plan: Plan;
  readonly object: T;
  /** Milliseconds since 1970, like the next. */
  readonly due: number;
  readonly begunAt: number;
}

// The longest timer that Node has: about 24 days.
const LONGEST_TIMER = 2 ** 31 - 1;

export class ObjectSchedule<T extends KubernetesObject> implements Schedule {
  readonly name: string;
  readonly kind: string;
  readonly concurrency: number;
  readonly queue: WorkQueue;
  readonly #settings: ScheduleSettings<T>;
  readonly #audience: Audience;
  readonly #runs: Runs;
  readonly #plans: Plans<T>;
  #working = false;
  #pumpIsDue = false;

  constructor(settings: ScheduleSettings<T>) {
    const { name, concurrency, clock, backoff, random, timeout, grace, observers } = settings;
    this.name = name;
    this.kind = settings.for.type.kind;
    this.concurrency = concurrency;
    this.#settings = settings;
    this.#audience = new Audience(name, observers);
    this.queue = new WorkQueue({ clock, backoff, random, onReady: () => this.#schedulePump() });
    this.#runs = new Runs({
      clock,
      timeout,
      grace,
      onTimeout: (run) => this.#runs.abort(run, tookTooLong(this, run.key, timeout || 0)),
      onStuck: ({ key }) => {
        this.#audience.tell((observer) => observer.onReconcileStuck?.(key));
        this.#schedulePump();
      },
    });
    this.#plans = new Plans({
      settings,
      queue: this.queue,
      isRunning: (key) => this.#runs.of(key) !== undefined,
      onDropped: ({ key }, why) => this.#endRun(key, why),
      onTrouble: (key, error) => this.#audience.tell((observer) => observer.onBadSchedule?.(key, error)),
    });
  }

  async run(context: RunContext): Promise<void> {
    const { for: cache, rhythm, clock } = this.#settings;
    const { stop } = context;
    try {
      await cache.untilSynced(stop);
    } catch (error) {
      if (!stop.aborted) throw error;
      return;
    }
    const stopAttending = this.#attend();
    const stopWatching = rhythm.followsDate ? watchDate(clock, () => this.#plans.rescheduleAll()) : undefined;
    this.#working = true;
    this.#schedulePump();
    await fired(stop);
    this.#working = false;
    stopWatching?.();
    await this.#windDown(context);
    // Not before: what still runs must be waited for before its key can be another replica's.
    stopAttending();
  }

  async untilIdle(reference: ObjectReference): Promise<void> {
    const key = keyFor(reference);
    await this.#runs.untilEnded((each) => each === key);
  }

  running(): RunningItem[] {
    return this.#runs.running();
  }

  queued(limit: number): QueuedItem[] {
    return this.queue.queued(limit);
  }

  #attend(): () => void {
    const { for: cache, when, shard, endless } = this.#settings;
    return attend({
      cache,
      when,
      shard,
      onPresent: (change) => this.#plans.present(change),
      onAbsent: (key, why) => this.#plans.drop(key, why),
      onDraining: async (has, abort) => {
        this.#plans.removeAll(has);
        const end = () => {
          for (const { key } of this.#runs.all(has)) this.#endRun(key, 'it is another replica’s');
        };
        if (endless || abort.aborted) end();
        else abort.addEventListener('abort', end, { once: true });
        await this.#runs.untilEnded(has);
        abort.removeEventListener('abort', end);
      },
      onError: (error) => this.#audience.tell((observer) => observer.onSourceError?.(this.kind, error)),
    });
  }

  #endRun(key: ObjectKey, why: string): void {
    const run = this.#runs.of(key);
    if (!run) return;
    this.#runs.abort(run, noLongerAttended(this, key, why));
  }

  #schedulePump(): void {
    if (this.#pumpIsDue || !this.#working) return;
    this.#pumpIsDue = true;
    queueMicrotask(this.#pump);
  }

  readonly #pump = (): void => {
    this.#pumpIsDue = false;
    while (this.#working && this.#runs.active < this.concurrency) {
      const item = this.queue.take();
      if (!item) return;
      this.#consider(item);
    }
  };

  /** It is due: but is it still to be done, and now? */
  #consider(item: TakenItem): void {
    const { key } = item;
    const { for: cache, shard, clock, idle } = this.#settings;
    const plan = this.#plans.of(key);
    const object = plan && cache.get(referenceOf(key));
    const hold = shard?.hold(key);
    const restsFor = plan ? plan.changedAt + idle - clock.now() : 0;
    if (!plan || !object || (shard && !hold)) {
      this.#plans.remove(key);
      this.#giveBack(key);
    } else if (restsFor > 0) {
      this.queue.addAfter(key, restsFor);
      this.#giveBack(key);
    } else {
      this.#claim(item, plan, object, hold);
    }
  }

  #claim(item: TakenItem, plan: Plan, object: T, hold: ShardHold | undefined): void {
    const { clock, rhythm } = this.#settings;
    const now = clock.date();
    const planned = plan.due ?? now;
    const claimed = this.#plans.ask(plan, () => rhythm.claim(object, planned, now));
    // What has begun once may be tried again, however late.
    const due = claimed ?? (plan.retrying ? planned : undefined);
    if (due !== undefined) {
      this.#begin({ run: this.#runs.start(item), plan, object, due, begunAt: now }, hold);
      return;
    }
    this.#audience.tell((observer) => observer.onSkipped?.(item.key, 'late', planned));
    const next = this.#plans.ask(plan, () => rhythm.next(object, { due: now, startedAt: now, endedAt: now }));
    this.#plans.schedule(plan, next?.due);
    this.#giveBack(item.key);
  }

  #giveBack(key: ObjectKey): void {
    this.queue.forget(key);
    this.queue.done(key);
  }

  #begin(occasion: Occasion<T>, hold: ShardHold | undefined): void {
    const { run, object, due } = occasion;
    const { key, failures, abort } = run;
    const stopListening = this.#linkTo(hold, run);
    const stopReplacing = this.#replaceLater(occasion);
    this.#audience.tell((observer) => observer.onReconcileStart(key, run.waited / 1000));
    const reference = referenceOf(key);
    const current = () => this.#settings.for.get(reference);
    const context = { key, reference, signal: abort.signal, failures, dueAt: due, current };
    const work = async () => await this.#settings.run(object, context);
    const underHold = hold ? () => hold.run(work) : work;
    void verdictOf(run, () => this.#audience.around(key, underHold)).then((verdict) => {
      stopListening();
      stopReplacing();
      this.#end(occasion, verdict);
    });
  }

  #linkTo(hold: ShardHold | undefined, run: Run): () => void {
    if (!hold) return () => {};
    const onLost = () => {
      // Should it come back, that is a new beginning.
      this.#plans.remove(run.key);
      this.#runs.abort(run, hold.signal.reason);
    };
    hold.signal.addEventListener('abort', onLost, { once: true });
    if (hold.signal.aborted) onLost();
    return () => hold.signal.removeEventListener('abort', onLost);
  }

  #replaceLater({ run, plan, object, due }: Occasion<T>): () => void {
    const { rhythm, clock } = this.#settings;
    const at = this.#plans.ask(plan, () => rhythm.replacedAt?.(object, due));
    if (at === undefined) return () => {};
    const replace = () => this.#runs.abort(run, nextIsDue(this, run.key));
    const timer: ClockTimer = clock.setTimeout(replace, Math.min(Math.max(0, at - clock.date()), LONGEST_TIMER));
    return () => clock.clearTimeout(timer);
  }

  #end(occasion: Occasion<T>, { outcome, error }: Verdict): void {
    const { run, plan } = occasion;
    this.#runs.end(run);
    const goesOn = this.#plans.of(run.key) === plan;
    const againIn = goesOn ? this.#follow(occasion, outcome, error) : undefined;
    // Its backoff was another life's.
    if (!goesOn) this.queue.forget(run.key);
    this.queue.done(run.key);
    this.#audience.tell((observer) =>
      observer.onReconcileEnd(run.key, {
        outcome,
        durationSeconds: (this.#settings.clock.now() - run.startedAt) / 1000,
        ...(error === undefined ? {} : { error }),
        ...(againIn === undefined ? {} : { againInSeconds: againIn / 1000 }),
      }),
    );
    this.#schedulePump();
  }

  /** Plans what comes after a run; returns in how many milliseconds that is. */
  #follow(occasion: Occasion<T>, outcome: ReconcileOutcome, error: unknown): number | undefined {
    const { run, plan, due, begunAt } = occasion;
    const { key } = run;
    const { rhythm, clock, retry, for: cache } = this.#settings;
    const now = clock.date();
    const object = cache.get(referenceOf(key)) ?? occasion.object;
    const next = this.#plans.ask(plan, () => rhythm.next(object, { due, startedAt: begunAt, endedAt: now }));
    const wait = next?.due === undefined ? undefined : Math.max(0, next.due - now);
    plan.failed = outcome === 'permanent';
    plan.retrying = retry && (outcome === 'error' || outcome === 'conflict' || outcome === 'timeout');
    if (plan.retrying) return this.#retry(run, error, wait);
    if (next?.overlapped !== undefined) {
      const { overlapped } = next;
      this.#audience.tell((observer) => observer.onSkipped?.(key, 'overlap', overlapped));
    }
    this.queue.forget(key);
    this.#plans.schedule(plan, next?.due);
    return wait;
  }

  /** After its backoff, but not later than the next run is due anyway. */
  #retry({ key, startedAt }: Run, error: unknown, untilNext: number | undefined): number {
    const { clock, backoff } = this.#settings;
    // What ran for long has not failed again and again.
    if (clock.now() - startedAt > parseDuration(backoff.longest ?? 0)) this.queue.forget(key);
    const wait = this.queue.retry(key, error, retryAfter(error));
    if (untilNext === undefined || untilNext >= wait) return wait;
    this.queue.addAfter(key, Math.max(1, untilNext));
    return untilNext;
  }

  async #windDown({ stop, abort }: RunContext): Promise<void> {
    const { endless, clock, grace } = this.#settings;
    this.queue.close();
    const ended = this.#runs.untilEnded();
    if (!endless) await Promise.race([ended, fired(abort)]);
    for (const run of this.#runs.all()) this.#runs.abort(run, stop.reason);
    const over = new AbortController();
    await Promise.race([ended, pause(clock, grace, over.signal)]);
    over.abort();
    this.#runs.stop();
    const left = this.#runs.all().map(({ key }) => key);
    if (left.length > 0) throw stillRunning(this, left);
  }
}
