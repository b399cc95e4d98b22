/** The brain's record of an incident, as an Incident that people and programs can read. */
import {
  type AuthorContext,
  type Client,
  type ClientError,
  formatDuration,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type ObjectReference,
} from '@kurator/sdk';
import { causeInWords } from '../brain/diagnosis/cause.ts';
import type { Action, Attempt, Incident as Known } from '../brain/incident/incident.ts';
import type { Answer } from '../brain/observation.ts';
import type { Moment } from '../brain/replay.ts';
import type { Millis } from '../brain/time.ts';
import { Incident } from '../resources/incident.ts';
import type { Kurator } from '../resources/kurator.ts';
import { fieldManager } from '../resources/ownership.ts';
import { plain, statusPatch } from './write-status.ts';

/** What is said of an Incident. */
export type IncidentFields = Omit<NonNullable<Incident['status']>, 'conditions' | 'observedGeneration'>;
/** Who was told what. */
export type Told = NonNullable<IncidentFields['told']>[number];

/** What a record is made of. */
export interface RecordSources {
  readonly evidence: IncidentFields['evidence'];
  /** Which channels were told what. */
  readonly told: readonly Told[];
  readonly answers: readonly Answer[];
  /** What it was decided from. */
  readonly moments: IncidentFields['moments'];
  /** How the other components do, the worst first. */
  readonly others: readonly { readonly name: string; readonly state: string }[];
  /** When it was closed; undefined while it is open. */
  readonly closedAt: Millis | undefined;
  readonly now: Millis;
}

const mostStages = 512;
const mostActions = 256;
const mostReasons = 32;
const sentence = 2048;
const longestName = 240;

/** What an incident's object is called: the service, and how many incidents it has had. */
export function incidentName(id: string): string {
  const [service = '', number = ''] = id.slice(id.indexOf('/') + 1).split('#');
  return `${service.slice(0, longestName)}-${number}`;
}

/** Where it is. */
export function incidentReference({ metadata }: Kurator, id: string): ObjectReference {
  return { name: incidentName(id), namespace: metadata.namespace };
}

/** The label under which the Incidents of a service are found. */
const serviceLabel = 'kurator.sh/service';

/** As it is made; what happens later is in its status. */
function incidentManifest(kurator: Kurator, { id, startedAt }: Known) {
  const { name, namespace = '', uid = '' } = kurator.metadata;
  const { apiVersion, kind } = kurator;
  return {
    metadata: {
      name: incidentName(id),
      namespace,
      // No value of a label is longer.
      ...(name.length <= 63 && { labels: { [serviceLabel]: name } }),
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    spec: { service: name, startedAt: timestamp(startedAt) },
  };
}

/** Everything about it, as of now. */
export function incidentFields(incident: Known, sources: RecordSources): IncidentFields {
  const { evidence, others, moments, closedAt, now } = sources;
  const { stage, diagnosis, transitions, confirmedAt, recoveredAt, root, proposal, startedAt } = incident;
  return {
    stage: closedAt === undefined ? stage : 'closed',
    summary: cut(transitions.at(-1)?.reason ?? ''),
    ...(diagnosis && {
      cause: diagnosis.cause,
      confidence: diagnosis.confidence,
      reasons: [causeInWords[diagnosis.cause], ...diagnosis.reasons].slice(0, mostReasons).map(cut),
    }),
    ...(confirmedAt !== undefined && { confirmedAt: timestamp(confirmedAt) }),
    ...(recoveredAt !== undefined && {
      recoveredAt: timestamp(recoveredAt),
      duration: inSeconds(Math.max(0, recoveredAt - startedAt)),
    }),
    ...(closedAt !== undefined && { closedAt: timestamp(closedAt ?? now) }),
    ...(root !== undefined && { root }),
    ...(proposal && { proposal: { id: proposal.id, step: proposal.step, reason: cut(proposal.reason) } }),
    ...(evidence && { evidence }),
    stages: transitions.slice(-mostStages).map(({ seq, at, to, reason, condition }) => ({
      seq,
      at: timestamp(at),
      stage: to,
      reason: cut(reason),
      condition,
    })),
    actions: actionsOf(incident),
    others: [...others],
    told: toldOf(incident, sources),
    ...(moments && { moments }),
    memory: incident as unknown as Record<string, unknown>,
  };
}

/** Channels as they were told, and dependants with what they answered. */
function toldOf({ notices }: Known, { told, answers }: RecordSources): Told[] {
  const given = new Map(answers.map(({ notice, answer }) => [notice, answer]));
  const dependants = notices.map(({ id, at, to, phase, reason }): Told => {
    const outcome = given.get(id);
    return {
      at: timestamp(at),
      whom: `${dependant}${to}`,
      what: cut(`${phaseInWords[phase]}: ${reason}`),
      ...(outcome && { outcome }),
    };
  });
  const channels = told.filter(({ whom }) => !whom.startsWith(dependant));
  return [...channels, ...dependants].toSorted((a, b) => a.at.localeCompare(b.at)).slice(-mostTold);
}

const dependant = 'dependant ';
const phaseInWords = { confirmed: 'of the fault', before: 'before the repair', after: 'at the end' } as const;
const mostTold = 512;

function actionsOf({ attempts }: Known): NonNullable<IncidentFields['actions']> {
  const all = attempts.flatMap((attempt) => attempt.actions.map((action) => actionRecord(attempt, action)));
  return all.slice(-mostActions);
}

function actionRecord({ step, approvedBy }: Attempt, { id, kind, targets, reason, intendedAt, outcome }: Action) {
  return {
    id,
    step,
    kind,
    ...(targets.length > 0 && { targets: targets.map(({ name }) => name) }),
    reason: cut(reason),
    at: timestamp(intendedAt),
    ...(approvedBy && { approvedBy }),
    ...(outcome && { outcome: outcome.result, endedAt: timestamp(outcome.at) }),
    ...(outcome?.message && { message: cut(outcome.message) }),
  };
}

/** A length of time as Kubernetes writes it, in whole seconds from ten on. */
export function inSeconds(length: Millis): string {
  const unit = length < 10_000 ? 100 : 1000;
  return formatDuration(Math.round(length / unit) * unit);
}

function timestamp(at: Millis): string {
  return new Date(at).toISOString();
}

function cut(text: string): string {
  return text.slice(0, sentence);
}

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

/** What an Incident is written with. */
type IncidentTools = Pick<AuthorContext, 'client' | 'signal'>;

/** The incident's object as it is now, made if need be. */
export async function incidentObject(
  kurator: Kurator,
  incident: Known,
  known: Incident | undefined,
  { client, signal }: IncidentTools,
): Promise<Incident> {
  if (known && isOf(known, kurator)) return known;
  const manifest = incidentManifest(kurator, incident);
  const reference = incidentReference(kurator, incident.id);
  const create = () => client.create(Incident, manifest, { fieldManager, signal });
  try {
    return await create();
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const there = await client.find(Incident, reference, { signal });
  if (there && isOf(there, kurator)) return there;
  // Left over from a service of the same name that was deleted.
  await removed(client, reference, there?.metadata.uid, signal);
  return await create();
}

async function removed(client: Client, reference: ObjectReference, uid: string | undefined, signal: AbortSignal) {
  try {
    await client.delete(Incident, reference, { ...(uid && { preconditions: { uid } }), signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error as ClientError)) throw error;
  }
}

function isOf({ metadata }: Incident, kurator: Kurator): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === kurator.metadata.uid) ?? false;
}

/** Writes what is new. */
export async function writeIncident(
  object: Incident,
  fields: IncidentFields,
  { client, signal }: IncidentTools,
): Promise<Incident> {
  const operations = statusPatch(object.status && { ...object.status }, plain(fields), others);
  if (operations.length === 0) return object;
  const options = { type: 'json', subresource: 'status', fieldManager, signal } as const;
  return await client.patch(Incident, object.metadata, operations, options);
}

/** Fields that are not the record's. */
const others: ReadonlySet<string> = new Set(['conditions', 'observedGeneration']);
