/**
 * Runs the checks of one thread, each when it is due: one timer for all of them, a limit on how many run at once, and
 * never two runs of the same check. Checks have small whole numbers here; names are for the scheduler in front of it.
 */
import type { Check, Probe } from '../check.ts';
import type { Measurement } from '../check-result.ts';
import { type CheckClock, systemClock } from '../clock.ts';
import type { Outcome } from '../error-kind.ts';
import { hostOf } from '../probes/prepare-probe.ts';
import { type Finding, findingOf, type StartProbe } from '../probes/probe-run.ts';
import { DueQueue } from './due-queue.ts';
import { FairGate, type GateLimits } from './fair-gate.ts';
import { nextDue, phaseOf, type ScheduledEntry } from './spread.ts';
import { type CheckStatistics, LatenessHistogram } from './statistics.ts';

/** What a {@link CheckLoop} needs. */
export interface CheckLoopOptions {
  /** Gets each result; the number it gives is the check's interval from now on. It must not throw. */
  onResult(id: number, result: Measurement): number | undefined;
  prepare(probe: Probe): StartProbe;
  readonly limits: GateLimits;
  /** By how much of an interval it is shortened at random, at most: 0 to 1. */
  readonly jitter: number;
  readonly clock?: CheckClock;
  readonly random?: () => number;
}

/** Waking less often lets many sockets be served at once, which is cheaper; it is also how late a check may be. */
const TICK_MS = 4;
/** While something runs the loop wakes at least so often, to notice when the thread is held up. */
const HEARTBEAT_MS = 50;
/** Then what the network brought is read before more is started: after a hold-up thousands may be due. */
const STARTS_PER_TURN = 64;
/** Timers of whole milliseconds may fire by this much too early. */
const EARLY_MS = 1;

export class CheckLoop {
  readonly #options: CheckLoopOptions;
  readonly #clock: CheckClock;
  readonly #random: () => number;
  readonly #gate: FairGate<ScheduledEntry>;
  readonly #entries: (ScheduledEntry | undefined)[] = [];
  readonly #due = new DueQueue();
  readonly #deadlines = new DueQueue();
  readonly #lag = new LoopLag();
  readonly #lateness = new LatenessHistogram();
  readonly #results: Record<Outcome, number> = { healthy: 0, failing: 0, unknown: 0 };
  #checks = 0;
  #missed = 0;
  #timer: unknown;
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor(options: CheckLoopOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#gate = new FairGate(options.limits);
  }

  /** Adds a check, or puts another in its place; what runs of the old one is given up. */
  set(id: number, check: Check): void {
    const now = this.#clock.now();
    const before = this.#entries[id];
    const lastDue = before?.lastDue ?? now - check.intervalMs * (1 - phaseOf(check));
    const { timeoutMs, intervalMs } = check;
    this.remove(id);
    this.#checks++;
    this.#entries[id] = {
      id,
      lastDue,
      timeoutMs,
      intervalMs,
      start: this.#options.prepare(check.probe),
      lane: this.#gate.laneFor(hostOf(check.probe)),
      state: 'idle',
      isExtra: false,
      again: false,
      due: lastDue,
      startedAt: 0,
      lagAtStart: 0,
      lagAtDeadline: 0,
      extended: false,
      run: undefined,
    };
    // What was interrupted has no result yet, and is looked at again at once.
    const { due } = nextDue(lastDue, intervalMs, 0, now);
    this.#due.set(id, before?.state === 'idle' || !before ? due : now);
    this.#arm(now);
  }

  remove(id: number): void {
    const entry = this.#entries[id];
    if (!entry) return;
    this.#checks--;
    this.#entries[id] = undefined;
    this.#due.delete(id);
    this.#deadlines.delete(id);
    const { state } = entry;
    entry.state = 'removed';
    this.#gate.quit(entry.lane);
    if (state !== 'running') return;
    entry.run?.abandon();
    this.#gate.leave(entry.lane);
    this.#startWaiting();
  }

  /** From now on; counted from the last time it was due. */
  setInterval(id: number, intervalMs: number): void {
    const entry = this.#entries[id];
    if (!entry || entry.intervalMs === intervalMs) return;
    entry.intervalMs = intervalMs;
    if (entry.state !== 'idle') return;
    const now = this.#clock.now();
    this.#due.set(id, nextDue(entry.lastDue, intervalMs, this.#shortening(), now).due);
    this.#arm(now);
  }

  /** One run besides the regular ones: now, or right after the one that runs, which may not have seen what happened. */
  checkNow(id: number): void {
    const entry = this.#entries[id];
    if (entry?.state === 'running') entry.again = true;
    if (entry?.state !== 'idle') return;
    this.#due.delete(id);
    this.#enter(entry, this.#clock.now(), true);
  }

  statistics(): CheckStatistics {
    return {
      checks: this.#checks,
      running: this.#gate.running,
      waiting: this.#gate.waiting,
      results: { ...this.#results },
      missed: this.#missed,
      lateness: [...this.#lateness.counts],
    };
  }

  /** Ends everything that runs, without a result. */
  close(): Promise<void> {
    for (const id of this.#entries.keys()) this.remove(id);
    this.#clock.clearTimeout(this.#timer);
    this.#wakesAt = Number.POSITIVE_INFINITY;
    return Promise.resolve();
  }

  #turn(): void {
    const now = this.#clock.now();
    this.#lag.woke(now);
    this.#wakesAt = Number.POSITIVE_INFINITY;
    for (let started = 0; started < STARTS_PER_TURN; started++) {
      const next = this.#due.takeDue(now + EARLY_MS);
      if (!next) break;
      const entry = this.#entries[next.id] as ScheduledEntry;
      entry.lastDue = next.time;
      this.#enter(entry, next.time, false);
    }
    if (this.#deadlines.earliest <= now + EARLY_MS) this.#clock.afterReading(() => this.#expireOverdue());
    this.#arm(now);
  }

  #enter(entry: ScheduledEntry, due: number, isExtra: boolean): void {
    entry.due = due;
    entry.isExtra = isExtra;
    if (this.#gate.enter(entry.lane, entry)) this.#start(entry);
    else entry.state = 'waiting';
  }

  #start(entry: ScheduledEntry): void {
    const now = this.#clock.now();
    entry.state = 'running';
    entry.startedAt = now;
    entry.extended = false;
    entry.lagAtStart = this.#lag.at(now);
    entry.lagAtDeadline = entry.lagAtStart;
    this.#lateness.observe(now - entry.due);
    this.#deadlines.set(entry.id, now + entry.timeoutMs);
    try {
      entry.run = entry.start((finding) => this.#finish(entry, finding));
    } catch (error) {
      this.#finish(entry, findingOf('checker-error', (error as Error).message));
    }
    this.#arm(now);
  }

  /** After the network was read: an answer that had arrived in time counts, also if nobody looked. */
  #expireOverdue(): void {
    const now = this.#clock.now();
    for (let next = this.#deadlines.takeDue(now + EARLY_MS); next; next = this.#deadlines.takeDue(now + EARLY_MS)) {
      this.#expire(this.#entries[next.id] as ScheduledEntry, now);
    }
  }

  #expire(entry: ScheduledEntry, now: number): void {
    const lag = this.#lag.at(now) - entry.lagAtDeadline;
    if (lag < Math.max(10, entry.timeoutMs / 20)) {
      entry.run?.expire();
      return;
    }
    // The target did not have its time: it gets what we took, once.
    if (!entry.extended) {
      entry.extended = true;
      entry.lagAtDeadline += lag;
      this.#deadlines.set(entry.id, now + lag);
      this.#arm(now);
      return;
    }
    entry.run?.abandon();
    this.#finish(
      entry,
      findingOf('checker-late', `held up for ${Math.round(this.#lag.at(now) - entry.lagAtStart)} ms`),
    );
  }

  #finish(entry: ScheduledEntry, finding: Finding): void {
    if (entry.state !== 'running') return;
    const now = this.#clock.now();
    entry.state = 'idle';
    entry.run = undefined;
    this.#deadlines.delete(entry.id);
    this.#gate.leave(entry.lane);
    this.#results[finding.outcome]++;
    this.#schedule(entry, now);
    const intervalMs = this.#options.onResult(entry.id, this.#measured(entry, finding, now));
    if (intervalMs !== undefined) this.setInterval(entry.id, intervalMs);
    this.#startWaiting();
  }

  #measured(entry: ScheduledEntry, finding: Finding, now: number): Measurement {
    const lag = this.#lag.at(now) - entry.lagAtStart;
    const latencyMs = Math.max(0, now - entry.startedAt - lag);
    const measured = { ...finding, at: this.#clock.date(), latencyMs };
    if (lag === 0) return measured;
    const { connectMs } = finding;
    return { ...measured, heldUpMs: lag, ...(connectMs !== undefined && { connectMs: Math.max(0, connectMs - lag) }) };
  }

  #schedule(entry: ScheduledEntry, now: number): void {
    const { due, missed } = nextDue(entry.lastDue, entry.intervalMs, this.#shortening(), now);
    if (!entry.isExtra) this.#missed += missed;
    if (entry.again) {
      entry.again = false;
      this.#enter(entry, now, true);
      return;
    }
    this.#due.set(entry.id, due);
    this.#arm(now);
  }

  #startWaiting(): void {
    for (let entry = this.#gate.next(); entry; entry = this.#gate.next()) {
      if (entry.state === 'waiting') this.#start(entry);
      else this.#gate.leave(entry.lane);
    }
  }

  #shortening(): number {
    return this.#options.jitter * this.#random();
  }

  /** Sees to it that the loop wakes in time for what comes next. */
  #arm(now: number): void {
    const heartbeat = this.#gate.running > 0 ? now + HEARTBEAT_MS : Number.POSITIVE_INFINITY;
    const soonest = Math.min(this.#due.earliest, this.#deadlines.earliest, heartbeat);
    const at = Math.max(soonest, now + TICK_MS);
    if (at >= this.#wakesAt || soonest === Number.POSITIVE_INFINITY) return;
    this.#clock.clearTimeout(this.#timer);
    this.#wakesAt = at;
    this.#lag.expect(at);
    this.#timer = this.#clock.setTimeout(() => this.#turn(), at - now);
  }
}

/** A timer is never exact: only what is later than this was held up. */
const GRACE_MS = 5;

/**
 * How long the thread was held up by other work. A check sees that as slowness of its target: the answer lay in the
 * kernel, and nobody read it. A second of it would look just like a lost packet, so it is measured and left out.
 */
class LoopLag {
  #total = 0;
  #expectedAt = Number.POSITIVE_INFINITY;

  /** The thread will next be awake at `at`, unless something holds it up. */
  expect(at: number): void {
    this.#expectedAt = at;
  }

  /** It is awake, because of what was expected. */
  woke(now: number): void {
    this.#total = this.at(now);
    this.#expectedAt = Number.POSITIVE_INFINITY;
  }

  /** Everything up to now; a difference of two of these is the lag in between. */
  at(now: number): number {
    return this.#total + Math.max(0, now - this.#expectedAt - GRACE_MS);
  }
}
