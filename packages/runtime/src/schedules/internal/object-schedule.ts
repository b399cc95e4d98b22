/**
 * Runs what is due. Each object that is attended to has a plan, and each plan is a key in one queue, which has one timer
 * for all of them. An object's runs never overlap, and they end with its plan.
 *
 *   cache, shards ──► attendance ──► plans ──► WorkQueue, until it is due ──► runs ──► the next time, by the rhythm
 */
import type { KubernetesObject, ObjectReference } from '@kurator/client';
import { type ClockTimer, fired, pause } from '../../clock.ts';
import { Executor, type Run, type RunEnd, retryAfter } from '../../controller/executor.ts';
import type { ShardHold } from '../../controller/shard-gate.ts';
import { formatDuration, parseDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';
import type { RunContext } from '../../manager/runnable.ts';
import { keyFor, type ObjectKey, referenceOf } from '../../object-key.ts';
import type { QueuedItem, RunningItem } from '../../queue/queue-statistics.ts';
import type { TakenItem, WorkQueue } from '../../queue/work-queue.ts';
import type { Schedule, ScheduleObserver } from '../schedule.ts';
import { attend } from './attendance.ts';
import { type Plan, Plans, watchDate } from './plans.ts';
import type { ScheduleSettings } from './settings.ts';

/** What a run is part of. */
interface Occasion<T> {
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
  readonly #executor: Executor<ScheduleObserver>;
  readonly #plans: Plans<T>;

  constructor(settings: ScheduleSettings<T>) {
    const { name, concurrency, clock, backoff, random, timeout, grace, observers } = settings;
    this.name = name;
    this.kind = settings.for.type.kind;
    this.concurrency = concurrency;
    this.#settings = settings;
    this.#executor = new Executor({
      name: `schedule ${name}`,
      concurrency,
      timeout,
      grace,
      observers,
      clock,
      backoff,
      random,
      onTaken: (item) => this.#consider(item),
      tookTooLong: ({ key }) => tookTooLong(this, key, timeout || 0),
    });
    this.queue = this.#executor.queue;
    this.#plans = new Plans({
      settings,
      queue: this.queue,
      isRunning: (key) => this.#executor.of(key) !== undefined,
      onDropped: ({ key }, why) => this.#endRun(key, why),
      onTrouble: (key, error) => this.#executor.tell((observer) => observer.onBadSchedule?.(key, error)),
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
    this.#executor.open();
    await fired(stop);
    this.#executor.close();
    stopWatching?.();
    await this.#windDown(context);
    // Not before: what still runs must be waited for before its key can be another replica's.
    stopAttending();
  }

  async untilIdle(reference: ObjectReference): Promise<void> {
    const key = keyFor(reference);
    await this.#executor.untilEnded((each) => each === key);
  }

  running(): RunningItem[] {
    return this.#executor.running();
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
        const breakOff = ({ key }: Run) => this.#endRun(key, 'it is another replica’s');
        if (endless) for (const run of this.#executor.all(has)) breakOff(run);
        await this.#executor.drained(has, abort, breakOff);
      },
      onError: (error) => this.#executor.tell((observer) => observer.onSourceError?.(this.kind, error)),
    });
  }

  #endRun(key: ObjectKey, why: string): void {
    const run = this.#executor.of(key);
    if (run) this.#executor.abort(run, noLongerAttended(this, key, why));
  }

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
      this.#executor.giveBack(key);
    } else if (restsFor > 0) {
      this.queue.addAfter(key, restsFor);
      this.#executor.giveBack(key);
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
      this.#begin(item, { plan, object, due, begunAt: now }, hold);
      return;
    }
    this.#executor.tell((observer) => observer.onSkipped?.(item.key, 'late', planned));
    const next = this.#plans.ask(plan, () => rhythm.next(object, { due: now, startedAt: now, endedAt: now }));
    this.#plans.schedule(plan, next?.due);
    this.#executor.giveBack(item.key);
  }

  #begin(item: TakenItem, occasion: Occasion<T>, hold: ShardHold | undefined): void {
    const { object, due } = occasion;
    const reference = referenceOf(item.key);
    const current = () => this.#settings.for.get(reference);
    let stopReplacing = () => {};
    const run = this.#executor.start(item, {
      hold,
      onLost: (run, reason) => {
        // Should it come back, that is a new beginning.
        this.#plans.remove(run.key);
        this.#executor.abort(run, reason);
      },
      work: async (run) => {
        const { key, failures, abort } = run;
        const context = { key, reference, signal: abort.signal, failures, dueAt: due, current };
        const work = async () => await this.#settings.run(object, context);
        return await this.#executor.attempt(run, work, () => ({ outcome: 'success' }));
      },
      after: (run, end) => {
        stopReplacing();
        return this.#follow(run, occasion, end);
      },
    });
    stopReplacing = this.#replaceLater(run, occasion);
  }

  #replaceLater(run: Run, { plan, object, due }: Occasion<T>): () => void {
    const { rhythm, clock } = this.#settings;
    const at = this.#plans.ask(plan, () => rhythm.replacedAt?.(object, due));
    if (at === undefined) return () => {};
    const replace = () => this.#executor.abort(run, nextIsDue(this, run.key));
    const timer: ClockTimer = clock.setTimeout(replace, Math.min(Math.max(0, at - clock.date()), LONGEST_TIMER));
    return () => clock.clearTimeout(timer);
  }

  /** Plans what comes after a run; returns in how many milliseconds that is. */
  #follow(run: Run, occasion: Occasion<T>, { outcome, error }: RunEnd): number | undefined {
    const { plan, due, begunAt } = occasion;
    const { key } = run;
    if (this.#plans.of(key) !== plan) {
      // Its backoff was another life's.
      this.queue.forget(key);
      return undefined;
    }
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
      this.#executor.tell((observer) => observer.onSkipped?.(key, 'overlap', overlapped));
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
    const ended = this.#executor.untilEnded();
    if (!endless) await Promise.race([ended, fired(abort)]);
    for (const run of this.#executor.all()) this.#executor.abort(run, stop.reason);
    const over = new AbortController();
    await Promise.race([ended, pause(clock, grace, over.signal)]);
    over.abort();
    this.#executor.stop();
    const left = this.#executor.all().map(({ key }) => key);
    if (left.length > 0) throw stillRunning(this, left);
  }
}

/** Whose run it is. */
interface Whose {
  readonly name: string;
  readonly kind: string;
}

function noLongerAttended({ name, kind }: Whose, key: ObjectKey, why: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_RUN_ENDED', `${name}: ${kind} ${key} is no longer attended to: ${why}`);
}

function nextIsDue({ name, kind }: Whose, key: ObjectKey): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_RUN_ENDED', `${name}: the next run for ${kind} ${key} is due`);
}

function tookTooLong({ name, kind }: Whose, key: ObjectKey, timeout: number): RuntimeError {
  const message = `${name}: the run for ${kind} ${key} took longer than ${formatDuration(timeout)}`;
  return new RuntimeError('KUR_RUNTIME_RECONCILE_TIMEOUT', message, {
    remedy: "give the schedule a longer timeout, or pass the context's signal to what takes so long",
  });
}

function stillRunning({ name }: Whose, keys: readonly ObjectKey[]): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_DRAIN_TIMEOUT', `${name}: still running for ${keys.slice(0, 5).join(', ')}`, {
    remedy: "let runs heed their context's signal, or give the schedule a longer grace",
  });
}
