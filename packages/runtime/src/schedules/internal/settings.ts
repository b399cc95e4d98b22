import type { KubernetesObject } from '@kurator/client';
import { type Clock, systemClock } from '../../clock.ts';
import type { Predicate } from '../../controller/predicate.ts';
import { type Duration, parseDuration } from '../../duration.ts';
import { RuntimeError } from '../../error.ts';
import { type BackoffOptions, createBackoff } from '../../queue/backoff.ts';
import type { ScheduleObserver, ScheduleOptions, TickingOptions } from '../schedule.ts';
import type { Rhythm } from './rhythm.ts';

/** A schedule with nothing left open. Times are milliseconds. */
export interface ScheduleSettings<T extends KubernetesObject>
  extends Pick<ScheduleOptions<T>, 'name' | 'for' | 'run' | 'when' | 'shard'> {
  readonly rhythm: Rhythm<T>;
  readonly concurrency: number;
  readonly timeout: number | false;
  readonly retry: boolean;
  readonly grace: number;
  readonly backoff: BackoffOptions;
  /** How long an object must have been left unchanged before a run begins. */
  readonly idle: number;
  /** Its runs don't end by themselves: when it is time to stop, there is nothing to wait for. */
  readonly endless: boolean;
  /** Changes after which what runs is begun anew. */
  readonly restartWhen: Predicate<T> | undefined;
  readonly observers: readonly ScheduleObserver[];
  readonly clock: Clock;
  readonly random: () => number;
}

const CONCURRENCY = 8;
const TIMEOUT = '5m';
const GRACE = '10s';
const BACKOFF = { first: '1s', longest: '5m' };

type Own<T extends KubernetesObject> = Pick<ScheduleSettings<T>, 'rhythm'> &
  Partial<Pick<ScheduleSettings<T>, 'idle' | 'endless' | 'restartWhen' | 'concurrency'>>;

/** Fills in the defaults; throws where an option makes no sense. */
export function settleSchedule<T extends KubernetesObject>(
  options: TickingOptions<T>,
  own: Own<T>,
): ScheduleSettings<T> {
  const { name, timeout = TIMEOUT, concurrency = CONCURRENCY } = options;
  if (!name) throw badSchedule('a schedule needs a name', 'give name a word such as "refresh"');
  if (own.concurrency === undefined && (!Number.isInteger(concurrency) || concurrency < 1)) {
    throw badSchedule(`schedule ${name}: concurrency is ${concurrency}`, 'give a whole number from 1');
  }
  const backoff = { ...BACKOFF, ...options.backoff };
  createBackoff(backoff);
  return {
    ...options,
    concurrency,
    timeout: timeout === false ? false : positive(timeout, `schedule ${name}: timeout`),
    retry: options.retry ?? true,
    grace: parseDuration(options.grace ?? GRACE, `schedule ${name}: grace`),
    backoff,
    idle: 0,
    endless: false,
    restartWhen: undefined,
    observers: options.observers ?? [],
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    ...own,
  };
}

export function positive(duration: Duration, field: string): number {
  const milliseconds = parseDuration(duration, field);
  if (milliseconds > 0) return milliseconds;
  throw badSchedule(`${field} is 0`, 'give a duration above 0');
}

export function badSchedule(message: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_BAD_SCHEDULE', message, { remedy });
}
