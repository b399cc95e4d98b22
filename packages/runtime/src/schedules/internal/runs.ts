/** What runs at the moment, at most one for each key; who takes too long, and who doesn't end when told to. */
import type { Clock } from '../../clock.ts';
import { outcomeOf } from '../../controller/internal/failure.ts';
import { Watchdog, type Watched } from '../../controller/internal/watchdog.ts';
import type { ReconcileOutcome } from '../../controller/observer.ts';
import type { ObjectKey } from '../../object-key.ts';
import type { RunningItem } from '../../queue/queue-statistics.ts';
import type { TakenItem } from '../../queue/work-queue.ts';

/** A run under way. */
export interface Run extends TakenItem {
  readonly startedAt: number;
  readonly abort: AbortController;
  /** Its time was up. */
  timedOut: boolean;
  /** It was told to end, and didn't: its place was given to others. */
  stuck: boolean;
  /** Since when it is expected to end. */
  notice: Notice | undefined;
}

interface Notice extends Watched {
  readonly run: Run;
}

export interface RunsOptions {
  readonly clock: Clock;
  readonly timeout: number | false;
  readonly grace: number;
  onTimeout(run: Run): void;
  onStuck(run: Run): void;
}

export class Runs {
  readonly #clock: Clock;
  readonly #byKey = new Map<ObjectKey, Run>();
  readonly #waiters = new Set<{ readonly runs: Set<Run>; resolve(): void }>();
  readonly #deadlines: Watchdog<Run> | undefined;
  readonly #notices: Watchdog<Notice>;
  #active = 0;

  constructor({ clock, timeout, grace, onTimeout, onStuck }: RunsOptions) {
    this.#clock = clock;
    const nothing = () => {};
    const gaveUp = ({ run }: Notice) => {
      run.stuck = true;
      this.#active--;
      onStuck(run);
    };
    this.#notices = new Watchdog<Notice>({ clock, timeout: grace, grace: 0, onTimeout: nothing, onStuck: gaveUp });
    if (timeout === false) return;
    const late = (run: Run) => {
      run.timedOut = true;
      onTimeout(run);
    };
    this.#deadlines = new Watchdog<Run>({ clock, timeout, grace: 0, onTimeout: late, onStuck: nothing });
  }

  /** Places that are taken. */
  get active(): number {
    return this.#active;
  }

  of(key: ObjectKey): Run | undefined {
    return this.#byKey.get(key);
  }

  all(has: (key: ObjectKey) => boolean = () => true): Run[] {
    return Array.from(this.#byKey.values()).filter(({ key }) => has(key));
  }

  start(item: TakenItem): Run {
    const startedAt = this.#clock.now();
    const fresh = { timedOut: false, stuck: false, notice: undefined };
    const run: Run = { ...item, ...fresh, startedAt, abort: new AbortController() };
    this.#active++;
    this.#byKey.set(run.key, run);
    this.#deadlines?.start(run);
    return run;
  }

  /** Tells a run to end. */
  abort(run: Run, reason: unknown): void {
    if (run.abort.signal.aborted) return;
    run.notice = { startedAt: this.#clock.now(), run };
    this.#notices.start(run.notice);
    run.abort.abort(reason);
  }

  end(run: Run): void {
    if (!run.stuck) this.#active--;
    this.#byKey.delete(run.key);
    this.#deadlines?.end(run);
    if (run.notice) this.#notices.end(run.notice);
    for (const { runs, resolve } of this.#waiters) if (runs.delete(run) && runs.size === 0) resolve();
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

  running(): RunningItem[] {
    return Array.from(this.#byKey.values(), ({ key, startedAt }) => ({ key, since: startedAt }));
  }

  stop(): void {
    this.#deadlines?.stop();
    this.#notices.stop();
  }
}

/** How a run ended. */
export interface Verdict {
  readonly outcome: ReconcileOutcome;
  readonly error?: unknown;
}

/** Does the work of a run; never throws. */
export async function verdictOf(run: Run, work: () => Promise<unknown>): Promise<Verdict> {
  try {
    await work();
    return { outcome: 'success' };
  } catch (error) {
    if (run.timedOut) return { outcome: 'timeout', error };
    if (run.abort.signal.aborted) return { outcome: 'stopped', error };
    return { outcome: outcomeOf(error, run.failures), error };
  }
}
