/** Cron windows as moments: those that bear on now and the near future. */
import { parseDuration } from '@kurator/sdk';
import { Cron } from 'croner';
import type { Interval } from '../brain/time.ts';
import type { Kurator } from '../resources/kurator.ts';

/** A window that began before now may still be open; further ahead nobody looks. */
export function maintenanceWindows(windows: Kurator['spec']['maintenance'], now: number): Interval[] {
  return windows.flatMap(({ cron, duration, timeZone }, index) => {
    const length = parseDuration(duration);
    const from = nextRun(cron, timeZone, now - length, index);
    return from === undefined ? [] : [{ from, to: from + length }];
  });
}

/** @throws An error that names the field, since no schema knows what a cron expression is. */
function nextRun(cron: string, timezone: string, after: number, index: number): number | undefined {
  try {
    return new Cron(cron, { timezone, paused: true }).nextRun(new Date(after))?.getTime();
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    const message = `spec.maintenance[${index}].cron "${cron}" in time zone ${timezone} is no time: ${why}`;
    throw new Error(message, { cause: error });
  }
}
