import type { KubernetesObject } from '@kurator/client';
import { tellObservers } from '../controller/executor.ts';
import type { Duration } from '../duration.ts';
import { cronTimes } from './internal/cron-times.ts';
import { ObjectSchedule } from './internal/object-schedule.ts';
import type { Rhythm } from './internal/rhythm.ts';
import { badSchedule, positive, settleSchedule } from './internal/settings.ts';
import type { Schedule, ScheduleContext, TickingOptions } from './schedule.ts';
import type { ScheduleMemory } from './schedule-memory.ts';

/** What becomes of runs whose time passed while nobody was there to begin them. */
export type MissedPolicy = 'latest' | 'all' | 'skip';
/** What becomes of a run whose time comes while the one before is under way. */
export type OverlapPolicy = 'skip' | 'queue' | 'replace';

/** A cron schedule for each object. */
export interface CronOptions<T extends KubernetesObject> extends TickingOptions<T> {
  /**
   * `minute hour day month weekday`, with seconds before them if there are six parts; also `@daily` and its like. A
   * function gives each object one of its own, and undefined to one that shall have none.
   */
  cron: string | ((object: T) => string | undefined);
  /** An IANA name such as `Europe/Berlin`; UTC unless given. A time that a change of clocks leaves out comes right after. */
  timeZone?: string | ((object: T) => string | undefined);
  /** What becomes of a run whose time comes while the one before is under way. `skip` unless given; never two at once. */
  overlap?: OverlapPolicy;
  /**
   * What becomes of runs whose time passed while nobody could begin them: only the `latest` is made up for (unless
   * given), or `all` in their order, or they are left out (`skip`). Those before this process began are known by the
   * memory alone: without one they are left out.
   */
  missed?: MissedPolicy;
  /** A run that can't begin within this time of when it was due is left out. Never unless given; 1 minute for `skip`. */
  deadline?: Duration;
  /** Where the time of the last run is kept across restarts; nowhere unless given. */
  memory?: ScheduleMemory<T>;
}

const SKIP_DEADLINE = '1m';
const overlaps: readonly string[] = ['skip', 'queue', 'replace'] satisfies OverlapPolicy[];
const misses: readonly string[] = ['latest', 'all', 'skip'] satisfies MissedPolicy[];

/**
 * Runs something for each object at the times of a cron expression. A run may be repeated after a crash: its time is
 * remembered when it has gone well, not when it begins.
 */
export function createCron<T extends KubernetesObject>(options: CronOptions<T>): Schedule {
  const { name, cron, timeZone, memory, overlap = 'skip', missed = 'latest' } = options;
  const deadline = options.deadline ?? (missed === 'skip' ? SKIP_DEADLINE : undefined);
  if (!overlaps.includes(overlap)) throw unknown(name, 'overlap', overlap, overlaps);
  if (!misses.includes(missed)) throw unknown(name, 'missed', missed, misses);
  // What is the same for all objects is checked now, not at the first of them.
  if (typeof cron === 'string') cronTimes(cron, typeof timeZone === 'string' ? timeZone : 'UTC');
  const rhythm = cronRhythm<T>({
    scheduleOf(object) {
      const expression = typeof cron === 'function' ? cron(object) : cron;
      const zone = typeof timeZone === 'function' ? timeZone(object) : timeZone;
      return expression === undefined ? undefined : { expression, timeZone: zone ?? 'UTC' };
    },
    lastOf: (object) => (memory ? lastRun(object, memory) : undefined),
    missed,
    overlap,
    deadline: deadline === undefined ? undefined : positive(deadline, `schedule ${name}: deadline`),
  });
  const run = memory ? remembering(options, memory) : options.run;
  return new ObjectSchedule(settleSchedule({ ...options, run }, { rhythm }));
}

/** An object that never had a run has missed those since its creation. */
function lastRun<T extends KubernetesObject>(object: T, memory: ScheduleMemory<T>): number | undefined {
  const time = Date.parse(memory.read(object) ?? object.metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function remembering<T extends KubernetesObject>(
  { name, run, observers = [] }: CronOptions<T>,
  memory: ScheduleMemory<T>,
): CronOptions<T>['run'] {
  return async (object: T, context: ScheduleContext<T>) => {
    await run(object, context);
    try {
      await memory.write(object, new Date(context.dueAt).toISOString(), context.signal);
    } catch (error) {
      // The work is done: doing it again for the sake of a note would be worse than to forget it.
      tellObservers(`schedule ${name}`, observers, (observer) => observer.onForgotten?.(context.key, error));
    }
  };
}

function unknown(name: string, field: string, value: string, known: readonly string[]): Error {
  return badSchedule(`schedule ${name}: ${field} is "${value}"`, `give one of ${known.join(', ')}`);
}

interface CronRhythmOptions<T extends KubernetesObject> {
  /** Undefined for an object that has no runs. */
  scheduleOf(object: T): { readonly expression: string; readonly timeZone: string } | undefined;
  /** When the last run that went well was due; undefined where that isn't known. */
  lastOf(object: T): number | undefined;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  /** Milliseconds after which a run is not begun any more; undefined for never. */
  readonly deadline: number | undefined;
}

function cronRhythm<T extends KubernetesObject>(options: CronRhythmOptions<T>): Rhythm<T> {
  const { scheduleOf, lastOf, missed, overlap, deadline } = options;
  const timesOf = (object: T) => {
    const schedule = scheduleOf(object);
    return schedule && cronTimes(schedule.expression, schedule.timeZone);
  };
  return {
    followsDate: true,
    signature: (object) => JSON.stringify(scheduleOf(object) ?? null),
    first: (object, now) => timesOf(object)?.after(Math.min(lastOf(object) ?? now, now)),
    claim(object, due, now) {
      const latest = missed === 'all' ? due : Math.max(due, timesOf(object)?.upTo(now) ?? due);
      return deadline !== undefined && now - latest > deadline ? undefined : latest;
    },
    next(object, { due, startedAt, endedAt }) {
      const times = timesOf(object);
      const following = times?.after(due);
      const overlapped = following !== undefined && following > startedAt && following <= endedAt;
      return overlapped && overlap === 'skip'
        ? { due: times?.after(endedAt), overlapped: following }
        : { due: following };
    },
    ...(overlap === 'replace' ? { replacedAt: (object, due) => timesOf(object)?.after(due) } : {}),
  };
}
