/** Where schedules are tried: objects that a test makes, a clock that it moves, and a diary of what ran. */
import { type KubernetesObject, resourceType } from '@kurator/client';
import type { ReconcileEnd } from '../../src/controller/observer.ts';
import type { RunContext } from '../../src/manager/runnable.ts';
import type { Schedule, ScheduleContext, ScheduleObserver } from '../../src/schedules/schedule.ts';
import { ManualClock, settled } from './manual-clock.ts';
import { ManualGate } from './manual-gate.ts';
import { memoryCache } from './memory-cache.ts';

export interface Job extends KubernetesObject {
  spec?: { every?: string; cron?: string; zone?: string; enabled?: boolean };
}
export const Job = resourceType<Job>('example.com/v1', 'Job');

/** 2026-01-01T00:00:00Z, when the clock begins. */
export const begin: number = Date.UTC(2026, 0, 1);

export const job = (
  name: string,
  spec: Job['spec'] = {},
  metadata: Partial<Job['metadata']> = {},
): Omit<Job, 'apiVersion' | 'kind'> => ({
  metadata: {
    name,
    namespace: 'n',
    uid: `uid-${name}`,
    generation: 1,
    creationTimestamp: new Date(begin).toISOString(),
    ...metadata,
  },
  spec,
});

/** Everything that was heard of, in short. */
class Diary implements ScheduleObserver {
  readonly lines: string[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  onReconcileStart(key: string): void {
    this.note(`${key} begins`);
  }
  onReconcileEnd(key: string, { outcome, error }: ReconcileEnd): void {
    this.note(`${key} ${outcome}${outcome === 'error' && error instanceof Error ? `: ${error.message}` : ''}`);
  }
  onReconcileStuck(key: string): void {
    this.note(`${key} is stuck`);
  }
  onSkipped(key: string, why: string): void {
    this.note(`${key} skipped: ${why}`);
  }
  onBadSchedule(key: string, error: unknown): void {
    this.note(`${key} is bad: ${(error as Error).message}`);
  }
  onForgotten(key: string, error: unknown): void {
    this.note(`${key} forgotten: ${(error as Error).message}`);
  }
  onSourceError(_kind: string, error: unknown): void {
    this.note(`source: ${(error as Error).message}`);
  }
  note(what: string): void {
    this.lines.push(`${this.#clock.now() / 1000}s ${what}`);
  }
}

export interface Stage {
  readonly clock: ManualClock;
  readonly jobs: ReturnType<typeof memoryCache<Job>>;
  readonly diary: Diary;
  readonly gate: ManualGate;
  /** What every schedule is given. */
  readonly common: {
    name: string;
    for: ReturnType<typeof memoryCache<Job>>;
    clock: ManualClock;
    random: () => number;
    observers: ScheduleObserver[];
  };
  /** Runs a schedule; the functions stop it. */
  start(schedule: Schedule): Promise<{ stop(): void; abort(): void; ended: Promise<void> }>;
}

export function stage(): Stage {
  const clock = new ManualClock(begin);
  const jobs = memoryCache(Job);
  const diary = new Diary(clock);
  return {
    clock,
    jobs,
    diary,
    gate: new ManualGate(),
    common: { name: 'tick', for: jobs, clock, random: () => 0, observers: [diary] },
    async start(schedule) {
      const [stop, abort] = [new AbortController(), new AbortController()];
      const context = { stop: stop.signal, abort: abort.signal, remaining: () => 1000 } as unknown as RunContext;
      const ended = schedule.run(context);
      ended.catch(() => {});
      await settled();
      return {
        stop: () => stop.abort(new Error('the operator stops')),
        abort: () => abort.abort(),
        ended,
      };
    },
  };
}

/** Work that goes on until its signal fires, and then for so long as a test wants. */
export function longWork(): {
  run(object: Job, context: ScheduleContext<Job>): Promise<void>;
  /** Of what was told to end, why. */
  readonly reasons: string[];
  /** Lets one that was told to end do so. */
  finish(key?: string): void;
} {
  const waiting = new Map<string, () => void>();
  const reasons: string[] = [];
  return {
    reasons,
    finish(key = 'n/a') {
      waiting.get(key)?.();
      waiting.delete(key);
    },
    async run(_, { key, signal }) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(key, resolve);
      signal.addEventListener('abort', () => reasons.push(String((signal.reason as Error).message)));
      await promise;
      signal.throwIfAborted();
    },
  };
}
