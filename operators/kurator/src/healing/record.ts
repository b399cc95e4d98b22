/** Keeps the Incident as it stands, with what was to be seen before anything was done. */
import type { Incident as Known } from '../brain/incident/incident.ts';
import type { Thought } from '../brain/think.ts';
import { type Evidence, takeEvidence } from '../recording/evidence.ts';
import { incidentFields, incidentName, incidentReference } from '../recording/incident-record.ts';
import { withMoment } from '../recording/moments.ts';
import { keptIncident, recordIncident } from '../recording/record-incident.ts';
import { Incident } from '../resources/incident.ts';
import { listed } from './alerting.ts';
import { type Case, fieldManager, type Round } from './case.ts';
import { type Memory, memoryOf } from './memory.ts';
import { othersOf } from './others.ts';

/** Writes the incident's record, before anything is done about it. */
export async function record(found: Case, thought: Thought, memory: Memory): Promise<void> {
  const { incident } = thought;
  if (!incident) return;
  await keepRecord(found, incident, memory, (before) => evidenceOf(found, thought, incident, before));
}

/** Writes an incident's record, with more evidence if there is any. */
export async function keepRecord(
  round: Round,
  incident: Known,
  memory: Memory,
  evidenceWith: (before: Evidence | undefined) => Promise<Evidence | undefined> = async (before) => before,
): Promise<void> {
  const { kurator, context, mind, now } = round;
  const tools = { client: context.client, fieldManager, signal: context.signal };
  const cached = context.get(Incident, incidentReference(kurator, incident.id));
  const written = mind.incident?.metadata.name === incidentName(incident.id) ? mind.incident : undefined;
  const object = await keptIncident(kurator, incident, written ?? cached, tools);
  const { status } = object;
  const evidence = await evidenceWith(status?.evidence);
  const closedAt = memory.history.incident ? undefined : now;
  const told = [...(status?.told ?? []), ...mind.toldTo];
  // Once it is closed, nobody needs them any more but the record.
  const answers = memory.answers ?? memoryOf(kurator, now).answers ?? [];
  const moments = withMoment(status?.moments, mind.moment);
  // As they did when it last changed its stage: what changes about others all the time is no news about this one.
  const isNews = status?.stages?.at(-1)?.seq !== incident.transitions.at(-1)?.seq;
  const others = isNews ? othersOf(round) : listed(status?.others);
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
