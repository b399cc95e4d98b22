/** What Prometheus is told of all services, and of the healer itself. Counted where it arises, read when somebody scrapes. */
import type { Ward } from '../healing/ward.ts';
import { channelFamilies } from './metrics/channels.ts';
import { checkFamilies } from './metrics/checks.ts';
import { eventFamilies } from './metrics/events.ts';
import type { Family } from './metrics/family.ts';
import { ownFamilies } from './metrics/own.ts';
import { serviceFamilies } from './metrics/services.ts';

/** Every family, read from what is in mind at that moment. */
export function metricFamilies(ward: Ward): Family[] {
  return [serviceFamilies, eventFamilies, checkFamilies, channelFamilies, ownFamilies].flatMap((of) => of(ward));
}
