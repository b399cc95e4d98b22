/** The times that a cron expression means. What parsing and calendars cost is paid once for all objects that share one. */
import { Cron } from 'croner';
import { messageOf, RuntimeError } from '../../error.ts';

/** Times are milliseconds since 1970. */
export interface CronTimes {
  /** The first one after a time; undefined when there is none any more. */
  after(time: number): number | undefined;
  /** The last one up to and including a time; undefined when there was none. */
  upTo(time: number): number | undefined;
}

// Objects may bring expressions of their own; what is not used any more must not be kept for ever.
const REMEMBERED = 1000;
const known = new Map<string, CronTimes>();

/** @throws With what is wrong with the expression or the time zone. */
export function cronTimes(expression: string, timeZone: string): CronTimes {
  const identity = `${timeZone} ${expression}`;
  const found = known.get(identity);
  if (found) return found;
  const times = timesOf(parsed(expression, timeZone));
  const [oldest] = known.keys();
  if (known.size >= REMEMBERED && oldest !== undefined) known.delete(oldest);
  known.set(identity, times);
  return times;
}

function parsed(expression: string, timeZone: string): Cron {
  try {
    const cron = new Cron(expression, { timezone: timeZone, mode: '5-or-6-parts', paused: true });
    // A time zone that doesn't exist is noticed only now.
    cron.nextRun(new Date());
    return cron;
  } catch (error) {
    throw nonsense(expression, timeZone, error);
  }
}

function nonsense(expression: string, timeZone: string, cause: unknown): RuntimeError {
  const reason = messageOf(cause);
  const message = `cron "${expression}" in time zone "${timeZone}": ${reason}`;
  const remedy = "write 'minute hour day month weekday', such as '0 3 * * *', and a time zone such as 'Europe/Berlin'";
  return new RuntimeError('KUR_RUNTIME_BAD_SCHEDULE', message, { remedy, cause });
}

function timesOf(cron: Cron): CronTimes {
  // Many objects ask about the same stretch of time.
  let asked = { from: 0, to: 0 };
  return {
    after(time) {
      if (time >= asked.from && time < asked.to) return asked.to;
      const next = cron.nextRun(new Date(time))?.getTime();
      if (next !== undefined) asked = { from: time, to: next };
      return next;
    },
    upTo(time) {
      // Croner looks at whole seconds, and leaves out the one it is given.
      const following = (Math.floor(time / 1000) + 1) * 1000;
      return cron.previousRuns(1, new Date(following))[0]?.getTime();
    },
  };
}
