/** The controller of Incidents: deletes closed ones that are too old, or too many. */

import {
  type AuthorContext,
  type AuthorResult,
  isConflict,
  isNotFound,
  type Operator,
  parseDuration,
} from '@kurator/sdk';
import type { Millis } from '../brain/time.ts';
import { Incident } from '../resources/incident.ts';
import { Kurator } from '../resources/kurator.ts';

const aDay = 86_400_000;

/** The same operator, which also retires Incidents. */
export function withIncidents<Clusters extends string>(operator: Operator<Clusters>): Operator<Clusters> {
  return operator
    .controller(Incident, { readyCondition: false })
    .index(Incident, 'service', ({ metadata, spec }) => `${metadata.namespace}/${spec.service}`)
    .reads(Kurator)
    .uses(Incident, ['delete'])
    .reconcile(retire);
}

/** Each closed one sees to it that there are not too many of them, and goes when its time is over. */
async function retire(
  { metadata, spec, status }: Incident,
  context: AuthorContext<'service', never>,
): Promise<AuthorResult<Incident> | undefined> {
  const kurator = context.get(Kurator, spec.service);
  if (!kurator || status?.closedAt === undefined) return undefined;
  const { incidentsKept, incidentsKeptFor } = kurator.spec;
  const age = parseDuration(incidentsKeptFor);
  const all = context.byIndex(Incident, 'service', `${metadata.namespace}/${spec.service}`);
  for (const incident of outdated(all, { number: incidentsKept, age }, Date.now())) await remove(incident, context);
  // No timer is that long.
  return { requeueAfter: Math.min(aDay, Math.max(1000, Date.parse(status.closedAt) + age - Date.now())) };
}

async function remove({ metadata }: Incident, { client, signal }: AuthorContext<'service', never>): Promise<void> {
  try {
    await client.delete(Incident, metadata, { preconditions: { uid: metadata.uid ?? '' }, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

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
