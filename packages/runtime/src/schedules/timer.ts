import type { KubernetesObject } from '@kurator/client';
import { type Duration, parseDuration } from '../duration.ts';
import { ObjectSchedule } from './internal/object-schedule.ts';
import { badSchedule, settleSchedule } from './internal/settings.ts';
import { interval, timerRhythm } from './internal/timer-rhythm.ts';
import type { Schedule, TickingOptions } from './schedule.ts';

/** A timer for each object. */
export interface TimerOptions<T extends KubernetesObject> extends TickingOptions<T> {
  /** How often; a function gives each object an interval of its own, and undefined to one that shall have none. */
  every: Duration | ((object: T) => Duration | undefined);
  /**
   * By how much of the interval runs of different objects are kept apart, from 0 to 1: 0.1 unless given. Each object's
   * runs come later by a share of that which is always the same, so that its own rhythm is exact.
   */
  jitter?: number;
  /**
   * Runs wait until the object has been left unchanged (its spec; anything, where a kind has no generation) for so long,
   * by this process' knowledge. 0 unless given.
   */
  idle?: Duration;
}

const JITTER = 0.1;

/**
 * Runs something for each object when it appears, and every so long after its creation. Ticks that come while a run is
 * under way, or while no operator is there, are left out: use a cron schedule with a memory for what must not be missed.
 */
export function createTimer<T extends KubernetesObject>(options: TimerOptions<T>): Schedule {
  const { name, every, jitter = JITTER, idle = 0 } = options;
  if (!(jitter >= 0 && jitter <= 1)) throw badSchedule(`schedule ${name}: jitter is ${jitter}`, 'give 0 to 1');
  if (typeof every !== 'function') interval(every);
  const rhythm = timerRhythm({ every, jitter });
  return new ObjectSchedule(settleSchedule(options, { rhythm, idle: parseDuration(idle, `schedule ${name}: idle`) }));
}
