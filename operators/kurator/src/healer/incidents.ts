/** Keeps the Incidents of a service: the open one as it stands, with what was to be seen before anything was done; and none that looks open and is not. */

import type { History } from '../brain/incident/history.ts';
import type { Incident as Known } from '../brain/incident/incident.ts';
import type { Thought } from '../brain/think.ts';
import {
  incidentFields,
  incidentName,
  incidentObject,
  incidentReference,
  withMoment,
  writeIncident,
} from '../memory/incident-object.ts';
import { leftOpen } from '../memory/incident-retention.ts';
import { recordOf, type ServiceRecord } from '../memory/service-record.ts';
import { Incident } from '../resources/incident.ts';
import { type FaultSnapshot, takeSnapshot } from '../senses/fault-snapshot.ts';
import { listed } from '../voice/alerts/alerting.ts';
import type { Findings, HealerPass } from './pass.ts';

/** Writes the incident's record, before anything is done about it. */
export async function recordIncident(found: Findings, thought: Thought, record: ServiceRecord): Promise<void> {
  const { incident } = thought;
  if (!incident) return;
  await keepRecord(found, incident, record, (before) => snapshotOf(found, thought, incident, before));
}

/** Writes an incident's record, with more evidence if there is any. */
export async function keepRecord(
  pass: HealerPass,
  incident: Known,
  record: ServiceRecord,
  snapshotWith: (before: FaultSnapshot | undefined) => Promise<FaultSnapshot | undefined> = async (before) => before,
): Promise<void> {
  const { kurator, context, memory, now } = pass;
  const cached = context.get(Incident, incidentReference(kurator, incident.id));
  const written = memory.incident?.metadata.name === incidentName(incident.id) ? memory.incident : undefined;
  const object = await incidentObject(kurator, incident, written ?? cached, context);
  const { status } = object;
  const evidence = await snapshotWith(status?.evidence);
  const closedAt = record.history.incident ? undefined : now;
  const told = [...(status?.told ?? []), ...memory.toldTo];
  // Once it is closed, nobody needs them any more but the record.
  const answers = record.answers ?? recordOf(kurator, now).answers ?? [];
  const moments = withMoment(status?.moments, memory.moment);
  // As they did when it last changed its stage: what changes about others all the time is no news about this one.
  const isNews = status?.stages?.at(-1)?.seq !== incident.transitions.at(-1)?.seq;
  const others = isNews ? pass.scope.others(pass) : listed(status?.others);
  const fields = incidentFields(incident, { evidence, others, told, answers, moments, closedAt, now });
  memory.incident = await writeIncident(object, fields, context);
  memory.toldTo.length = 0;
}

/** Taken when the fault is confirmed, and again of whatever an action is about to touch. */
async function snapshotOf(
  { objects, memory, scope, context, now }: Findings,
  { evidence: seen, actions }: Thought,
  { confirmedAt, diagnosis }: Known,
  before: FaultSnapshot | undefined,
): Promise<FaultSnapshot | undefined> {
  if (confirmedAt === undefined) return before;
  const targets = actions.flatMap((action) => action.targets.map(({ uid }) => uid));
  const uids = [...new Set([...targets, ...(before ? [] : (diagnosis?.affected ?? []))])];
  const isKnown = (uid: string) => before?.instances?.some((instance) => instance.uid === uid);
  if (before && uids.every(isKnown)) return before;
  const { client, signal } = context;
  const resultsOf = (target: string) => scope.checks.resultsOf(memory, target);
  return await takeSnapshot(uids, before, { client, objects, seen, resultsOf, now, signal });
}

/** Once in a while is enough: only an operator that died in the wrong moment leaves one open. */
const every = 60_000;

/** Closes the Incidents of a service that look open and are not. */
export async function keepIncidents(found: Findings, { history }: ServiceRecord): Promise<void> {
  const { memory, context, now } = found;
  if (now - (memory.keptAt ?? 0) < every) return;
  memory.keptAt = now;
  await closeLeftOpen(found, context.byIndex(Incident, 'service', memory.name), history);
}

async function closeLeftOpen(
  { memory, kurator, context, now }: Findings,
  all: Incident[],
  history: History,
): Promise<void> {
  const isOurs = ({ metadata }: Incident) => metadata.ownerReferences?.some(({ uid }) => uid === kurator.metadata.uid);
  const open = history.incident && incidentName(history.incident.id);
  // What was closed in this very pass may not be in the cache yet.
  const justClosed = memory.incident?.metadata.name;
  for (const incident of leftOpen(all.filter(isOurs), open)) {
    const known = incident.status?.memory as Known | undefined;
    const closed = history.closed.find(({ id }) => incidentName(id) === incident.metadata.name);
    if (!known || !closed || incident.metadata.name === justClosed) continue;
    const { evidence, told = [], moments } = incident.status ?? {};
    const others = listed(incident.status?.others);
    const { closedAt } = closed;
    const fields = incidentFields(known, { evidence, others, told, answers: [], moments, closedAt, now });
    await writeIncident(incident, fields, context);
  }
}
