/** Which objects are scheduled, and for when. */
import type { KubernetesObject } from '@kurator/client';
import type { CacheChange } from '../../cache/object-cache.ts';
import type { Clock, ClockTimer } from '../../clock.ts';
import type { ObjectKey } from '../../object-key.ts';
import { Priority } from '../../queue/priority.ts';
import type { WorkQueue } from '../../queue/work-queue.ts';
import type { ScheduleSettings } from './settings.ts';

/** What one object has ahead of it, from when it is first attended to until it no longer is. */
export interface Plan {
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  /** Of its schedule; undefined as long as that makes no sense. */
  signature: string | undefined;
  /** What is wrong with its schedule. */
  trouble: string | undefined;
  /** Milliseconds since 1970; undefined for never. */
  due: number | undefined;
  /** What of it counts as a change: its generation, or its version where it has none. */
  edition: unknown;
  /** Clock.now() of the last change of that. */
  changedAt: number;
  /** It failed, and comes again after its backoff. */
  retrying: boolean;
  /** It failed for good: only a change can help. */
  failed: boolean;
}

export interface PlansOptions<T extends KubernetesObject> {
  readonly settings: ScheduleSettings<T>;
  readonly queue: WorkQueue;
  /** Whether a run of this key is under way: what follows is settled at its end. */
  isRunning(key: ObjectKey): boolean;
  onDropped(plan: Plan, why: string): void;
  onTrouble(key: ObjectKey, error: unknown): void;
}

export class Plans<T extends KubernetesObject> {
  readonly #options: PlansOptions<T>;
  readonly #plans = new Map<ObjectKey, Plan>();

  constructor(options: PlansOptions<T>) {
    this.#options = options;
  }

  of(key: ObjectKey): Plan | undefined {
    return this.#plans.get(key);
  }

  /** It is there, new or changed. */
  present(change: CacheChange<T>): void {
    const object = change.object();
    const known = this.#continued(change, object);
    if (known) this.#changed(known, object);
    else this.#begin(object, change);
  }

  drop(key: ObjectKey, why: string): void {
    const plan = this.remove(key);
    if (plan) this.#options.onDropped(plan, why);
  }

  /** Like `drop`, but leaves a run alone. */
  remove(key: ObjectKey): Plan | undefined {
    const plan = this.#plans.get(key);
    this.#plans.delete(key);
    this.#options.queue.remove(key);
    return plan;
  }

  removeAll(has: (key: ObjectKey) => boolean): void {
    for (const key of this.#plans.keys()) if (has(key)) this.remove(key);
  }

  /** Has it taken out of the queue when it is due. */
  schedule(plan: Plan, due: number | undefined): void {
    const { queue, settings } = this.#options;
    plan.due = due;
    if (due === undefined) return;
    queue.addAfter(plan.key, Math.max(0, due - settings.clock.date()), Priority.change);
  }

  /** The wall clock was set. */
  rescheduleAll(): void {
    for (const plan of this.#plans.values()) {
      // What failed comes again after its backoff, whatever the date.
      if (plan.retrying || this.#options.isRunning(plan.key)) continue;
      this.#options.queue.remove(plan.key);
      this.schedule(plan, plan.due);
    }
  }

  /** Asks the rhythm; what it throws is the object's own fault. */
  ask<R>(plan: Plan, question: () => R): R | undefined {
    try {
      const answer = question();
      plan.trouble = undefined;
      return answer;
    } catch (error) {
      const message = String(error);
      if (plan.trouble !== message) this.#options.onTrouble(plan.key, error);
      plan.trouble = message;
      plan.signature = undefined;
      return undefined;
    }
  }

  /** The plan that goes on; none if there was none, or if it is begun anew. */
  #continued(change: CacheChange<T>, object: T): Plan | undefined {
    const plan = this.#plans.get(change.key);
    if (!plan) return undefined;
    const { restartWhen } = this.#options.settings;
    if (plan.uid !== object.metadata.uid) this.drop(change.key, 'another of the same name took its place');
    else if (change.type === 'updated' && restartWhen?.(change)) this.drop(change.key, 'it changed');
    else return plan;
    return undefined;
  }

  #begin(object: T, { key, initial, type }: CacheChange<T>): void {
    const { rhythm, clock } = this.#options.settings;
    const { uid } = object.metadata;
    const fresh = { signature: undefined, trouble: undefined, due: undefined, retrying: false, failed: false };
    const plan: Plan = { key, uid, ...fresh, edition: editionOf(object), changedAt: clock.now() };
    this.#plans.set(key, plan);
    // What begins to match is as new as what was created.
    this.#settle(plan, object, () => rhythm.first(object, clock.date(), !(initial && type === 'added')));
  }

  #changed(plan: Plan, object: T): void {
    const { settings, isRunning, queue } = this.#options;
    const { rhythm, clock } = settings;
    const edition = editionOf(object);
    const hasChanged = edition !== plan.edition;
    plan.edition = edition;
    if (hasChanged) plan.changedAt = clock.now();
    const signature = this.ask(plan, () => rhythm.signature(object));
    if (signature === plan.signature && !(plan.failed && hasChanged)) return;
    plan.signature = signature;
    if (isRunning(plan.key)) return;
    const again = plan.failed;
    plan.failed = false;
    plan.retrying = false;
    queue.remove(plan.key);
    this.#settle(plan, object, () => rhythm.first(object, clock.date(), again));
  }

  #settle(plan: Plan, object: T, first: () => number | undefined): void {
    const { rhythm } = this.#options.settings;
    plan.signature = this.ask(plan, () => rhythm.signature(object));
    this.schedule(plan, plan.signature === undefined ? undefined : this.ask(plan, first));
  }
}

function editionOf({ metadata }: KubernetesObject): unknown {
  return metadata.generation ?? metadata.resourceVersion;
}

// How soon it is noticed, and how much may be a clock's own unevenness.
const PERIOD = 60_000;
const TOLERANCE = 1_000;

/** Tells when the wall clock was set, or went on while the machine slept; returns how to stop. */
export function watchDate(clock: Clock, onSet: () => void): () => void {
  const offset = () => clock.date() - clock.now();
  let timer: ClockTimer;
  let known = offset();
  const look = () => {
    const now = offset();
    if (Math.abs(now - known) > TOLERANCE) onSet();
    known = now;
    timer = clock.setTimeout(look, PERIOD);
  };
  timer = clock.setTimeout(look, PERIOD);
  return () => clock.clearTimeout(timer);
}
