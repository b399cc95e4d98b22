/** What was decided from what, kept with an incident so that it can be decided again: the first of it, and never much. */
import type { Moment } from '../brain/replay.ts';
import type { Incident } from '../resources/incident.ts';

type Moments = NonNullable<NonNullable<Incident['status']>['moments']>;

const most = 16;
/** Together. One of three instances takes some 6 kB a moment, and an object of the API server has 1.5 MB. */
const mostBytes = 100_000;

/** With one more, if there is one, it is not there yet, and there is room for it. */
export function withMoment(before: Moments | undefined, moment: Moment | undefined): Moments | undefined {
  if (!moment || before?.some(({ now }) => now === moment.now)) return before;
  const all = [...(before ?? []), moment as unknown as Moments[number]];
  return all.length <= most && Buffer.byteLength(JSON.stringify(all)) <= mostBytes ? all : before;
}
