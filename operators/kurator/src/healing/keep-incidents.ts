/** Keeps the Incidents of a service in order: closes what was left open. */
import type { History } from '../brain/incident/history.ts';
import type { Incident as Known } from '../brain/incident/incident.ts';
import { incidentFields, incidentName } from '../recording/incident-record.ts';
import { recordIncident } from '../recording/record-incident.ts';
import { leftOpen } from '../recording/retention.ts';
import { Incident } from '../resources/incident.ts';
import { listed } from './alerting.ts';
import { type Case, fieldManager } from './case.ts';
import type { Memory } from './memory.ts';

/** Once in a while is enough: only an operator that died in the wrong moment leaves one open. */
const every = 60_000;

/** Closes the Incidents of a service that look open and are not. */
export async function keepIncidents(found: Case, { history }: Memory): Promise<void> {
  const { mind, context, now } = found;
  if (now - (mind.keptAt ?? 0) < every) return;
  mind.keptAt = now;
  await closeLeftOpen(found, context.byIndex(Incident, 'service', mind.name), history);
}

async function closeLeftOpen({ mind, kurator, context, now }: Case, all: Incident[], history: History): Promise<void> {
  const { client, signal } = context;
  const isOurs = ({ metadata }: Incident) => metadata.ownerReferences?.some(({ uid }) => uid === kurator.metadata.uid);
  const open = history.incident && incidentName(history.incident.id);
  // What was closed in this very round may not be in the cache yet.
  const justClosed = mind.incident?.metadata.name;
  for (const incident of leftOpen(all.filter(isOurs), open)) {
    const known = incident.status?.memory as Known | undefined;
    const closed = history.closed.find(({ id }) => incidentName(id) === incident.metadata.name);
    if (!known || !closed || incident.metadata.name === justClosed) continue;
    const { evidence, told = [], moments } = incident.status ?? {};
    const others = listed(incident.status?.others);
    const { closedAt } = closed;
    const fields = incidentFields(known, { evidence, others, told, answers: [], moments, closedAt, now });
    await recordIncident(incident, fields, { client, fieldManager, signal });
  }
}
