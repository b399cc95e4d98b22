/** Keeps an incident's object as the brain's record says. Idempotent: the same again changes nothing. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  type ClientError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type ObjectReference,
} from '@kurator/sdk';
import type { Incident as Known } from '../brain/incident/incident.ts';
import { Incident } from '../resources/incident.ts';
import type { Kurator } from '../resources/kurator.ts';
import { type IncidentFields, incidentManifest, incidentReference } from './incident-record.ts';
import { plain } from './plain.ts';

export interface RecordTools {
  readonly client: Client;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/** The incident's object as it is now, made if need be. */
export async function keptIncident(
  kurator: Kurator,
  incident: Known,
  known: Incident | undefined,
  { client, fieldManager, signal }: RecordTools,
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
export async function recordIncident(
  object: Incident,
  fields: IncidentFields,
  { client, fieldManager, signal }: RecordTools,
): Promise<Incident> {
  const before = object.status as Readonly<Record<string, unknown>> | undefined;
  const after = plain(fields);
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(before?.[name], value));
  const gone = Object.keys(before ?? {}).filter((name) => !(name in after) && !others.has(name));
  if (before && changed.length + gone.length === 0) return object;
  const operations = before
    ? [
        ...changed.map(([name, value]) => ({ op: 'add', path: `/status/${name}`, value })),
        ...gone.map((name) => ({ op: 'remove', path: `/status/${name}` })),
      ]
    : [{ op: 'add', path: '/status', value: after }];
  const options = { type: 'json', subresource: 'status', fieldManager, signal } as const;
  return await client.patch(Incident, object.metadata, operations, options);
}

/** Fields that are not the record's. */
const others: ReadonlySet<string> = new Set(['conditions', 'observedGeneration']);
