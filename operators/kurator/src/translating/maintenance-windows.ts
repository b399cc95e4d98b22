/** Cron windows as moments: those that bear on now and the near future. */
import { parseDuration } from '@kurator/sdk';
import { Cron } from 'croner';
import type { Interval } from '../brain/time.ts';
import type { Kurator } from '../resources/kurator.ts';

/** A window that began before now may still be open; further ahead nobody looks. */
export function maintenanceWindows(windows: Kurator['spec']['maintenance'], now: number): Interval[] {
  return windows.flatMap(({ cron, duration, timeZone }) => {
    const length = parseDuration(duration);
    const from = new Cron(cron, { timezone: timeZone, paused: true }).nextRun(new Date(now - length))?.getTime();
    return from === undefined ? [] : [{ from, to: from + length }];
  });
}
