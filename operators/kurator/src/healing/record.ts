/** Keeps the Incident as it stands, with what was to be seen before anything was done. */
import type { Incident as Known } from '../brain/incident/incident.ts';
import type { Thought } from '../brain/think.ts';
import { type Evidence, takeEvidence } from '../recording/evidence.ts';
import { incidentFields, incidentName, incidentReference } from '../recording/incident-record.ts';
import { withMoment } from '../recording/moments.ts';
import { keptIncident, recordIncident } from '../recording/record-incident.ts';
import { Incident } from '../resources/incident.ts';
import { type Case, fieldManager } from './case.ts';
import type { Memory } from './memory.ts';
import { othersOf } from './others.ts';

/** Writes the incident's record, before anything is done about it. */
export async function record(found: Case, thought: Thought, memory: Memory): Promise<void> {
  const { incident } = thought;
  if (!incident) return;
  const { kurator, context, mind, now } = found;
  const tools = { client: context.client, fieldManager, signal: context.signal };
  const cached = context.get(Incident, incidentReference(kurator, incident.id));
  const written = mind.incident?.metadata.name === incidentName(incident.id) ? mind.incident : undefined;
  const object = await keptIncident(kurator, incident, written ?? cached, tools);
  const evidence = await evidenceOf(found, thought, incident, object.status?.evidence);
  const closedAt = thought.history.incident ? undefined : now;
  const told = [...(object.status?.told ?? []), ...mind.toldTo];
  // Once it is closed, nobody needs them any more but the record.
  const answers = memory.answers ?? found.memory.answers ?? [];
  const moments = withMoment(object.status?.moments, mind.moment);
  const others = othersOf(found);
  const fields = incidentFields(incident, { evidence, others, told, answers, moments, closedAt, now });
  mind.incident = await recordIncident(object, fields, tools);
  mind.toldTo.length = 0;
}

/** Taken when the fault is confirmed, and again of whatever an action is about to touch. */
async function evidenceOf(
  { scene, mind, ward, context, now }: Case,
  { evidence: seen, actions }: Thought,
  { confirmedAt, diagnosis }: Known,
  before: Evidence | undefined,
): Promise<Evidence | undefined> {
  if (confirmedAt === undefined) return before;
  const targets = actions.flatMap((action) => action.targets.map(({ uid }) => uid));
  const uids = [...new Set([...targets, ...(before ? [] : (diagnosis?.affected ?? []))])];
  const isKnown = (uid: string) => before?.instances?.some((instance) => instance.uid === uid);
  if (before && uids.every(isKnown)) return before;
  const { client, signal } = context;
  const resultsOf = (target: string) => ward.checkups.resultsOf(mind, target);
  return await takeEvidence(uids, before, { client, scene, seen, resultsOf, now, signal });
}
