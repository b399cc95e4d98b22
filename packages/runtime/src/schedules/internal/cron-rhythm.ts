import type { KubernetesObject } from '@kurator/client';
import { cronTimes } from './cron-times.ts';
import type { Rhythm } from './rhythm.ts';

/** What becomes of runs whose time passed while nobody was there to begin them. */
export type MissedPolicy = 'latest' | 'all' | 'skip';
/** What becomes of a run whose time comes while the one before is under way. */
export type OverlapPolicy = 'skip' | 'queue' | 'replace';

export interface CronRhythmOptions<T extends KubernetesObject> {
  /** Undefined for an object that has no runs. */
  scheduleOf(object: T): { readonly expression: string; readonly timeZone: string } | undefined;
  /** When the last run that went well was due; undefined where that isn't known. */
  lastOf(object: T): number | undefined;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  /** Milliseconds after which a run is not begun any more; undefined for never. */
  readonly deadline: number | undefined;
}

export function cronRhythm<T extends KubernetesObject>(options: CronRhythmOptions<T>): Rhythm<T> {
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
