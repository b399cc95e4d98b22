import type { KubernetesObject } from '@kurator/client';
import type { Predicate } from '../controller/predicate.ts';
import { ObjectSchedule } from './internal/object-schedule.ts';
import type { Rhythm } from './internal/rhythm.ts';
import { settleSchedule } from './internal/settings.ts';
import type { Schedule, ScheduleOptions } from './schedule.ts';

/** A daemon for each object. */
export interface DaemonOptions<T extends KubernetesObject> extends ScheduleOptions<T> {
  /**
   * Which changes end the daemon and begin another, for example `generationChanged`. None unless given: a daemon asks
   * `context.current()` what the object is like now.
   */
  restartWhen?: Predicate<T>;
}

/**
 * Runs something for each object as long as the object lives. One that throws is begun again after its backoff; one that
 * throws a PermanentError, when the object changes; one that returns has done what it had to, and is left alone. Its
 * signal fires when the object is being deleted, no longer matches or becomes another replica's, and when the operator
 * stops or loses the lead.
 */
export function createDaemon<T extends KubernetesObject>(options: DaemonOptions<T>): Schedule {
  const { restartWhen } = options;
  const concurrency = Number.POSITIVE_INFINITY;
  return new ObjectSchedule(
    settleSchedule({ ...options, timeout: false }, { rhythm: always, concurrency, endless: true, restartWhen }),
  );
}

const always: Rhythm<KubernetesObject> = {
  followsDate: false,
  signature: () => 'always',
  first: (_, now) => now,
  claim: (_, due) => due,
  next: () => ({ due: undefined }),
};
