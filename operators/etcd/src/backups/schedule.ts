/** When a backup is due. Pure. */
import { messageOf } from '@kurator/sdk';
import { Cron } from 'croner';

/** `minute hour day month weekday`, as the API server checks it before it is stored. RE2. */
export const CRON = cronPattern();

function cronPattern(): string {
  const number = {
    minute: '[0-5]?[0-9]',
    hour: '([01]?[0-9]|2[0-3])',
    day: '(0?[1-9]|[12][0-9]|3[01])',
    month: '(0?[1-9]|1[0-2])',
    weekday: '[0-7]',
  };
  const fields = Object.values(number).map((one) => {
    const item = `([*]|${one}(-${one})?)(/[1-9][0-9]?)?`;
    return `${item}(,${item})*`;
  });
  return `^${fields.join(' +')}$`;
}

/** What is known of the past, in milliseconds since 1970. */
export interface History {
  readonly created: number;
  /** When the last run was begun. */
  readonly lastStarted?: number | undefined;
  /** How many failed since one went well. */
  readonly failures: number;
  readonly lastFailed?: number | undefined;
  /** Whether there is one that counts. */
  readonly has: boolean;
}

const FIRST_RETRY = 10_000;
const LONGEST_RETRY = 600_000;

/** How long after a failure it is tried again: a night must not pass because of a hiccup. */
export const retryDelay = (failures: number): number => Math.min(FIRST_RETRY * 2 ** (failures - 1), LONGEST_RETRY);

/**
 * The time from which on one is due; undefined for never again.
 *
 * @throws With the field and the remedy, if the expression means no time.
 */
export function dueAt(schedule: string | undefined, history: History): number | undefined {
  const { created, lastStarted, failures, lastFailed, has } = history;
  if (failures > 0 && lastFailed !== undefined) return lastFailed + retryDelay(failures);
  if (schedule === undefined) return has ? undefined : created;
  return nextTime(schedule, lastStarted ?? created);
}

/** The first time after another one. Of those that passed while nobody was there only one is made up for. */
export function nextTime(schedule: string, after: number): number | undefined {
  try {
    return new Cron(schedule, { timezone: 'UTC', mode: '5-part', paused: true }).nextRun(new Date(after))?.getTime();
  } catch (cause) {
    throw new Error(
      `spec.schedule "${schedule}" is no time: ${messageOf(cause)}; write 'minute hour day month weekday'`,
      { cause },
    );
  }
}
