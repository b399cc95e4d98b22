/** Which Incidents are kept: the newest so many, none older than so long, and whatever is open. */
import type { Millis } from '../brain/time.ts';
import type { Incident } from '../resources/incident.ts';

export interface Retention {
  /** Closed ones that are kept, at most. */
  readonly number: number;
  readonly age: Millis;
}

/** Closed ones that are to go. */
export function outdated(incidents: readonly Incident[], { number, age }: Retention, now: Millis): Incident[] {
  const closed = incidents.filter(({ status }) => status?.closedAt !== undefined).toSorted(newestFirst);
  return closed.filter((incident, index) => index >= number || now - closedAt(incident) > age);
}

/**
 * Those that look open and are not: the operator has died between closing the incident and saying so.
 *
 * @param open The name of the one that is.
 */
export function leftOpen(incidents: readonly Incident[], open: string | undefined): Incident[] {
  return incidents.filter(({ metadata, status }) => status?.closedAt === undefined && metadata.name !== open);
}

const closedAt = ({ status }: Incident) => Date.parse(status?.closedAt ?? '');
const newestFirst = (a: Incident, b: Incident) => closedAt(b) - closedAt(a);
