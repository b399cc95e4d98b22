/**
 * Whose a change of the workload is: ours, by the action's id on it and by what that action was to make, or somebody
 * else's. It goes by content: a Deployment's generation also counts changes of annotations, its own controller's among them.
 */

import { isDeepStrictEqual } from 'node:util';
import { type Client, checksum, type PodTemplateSpec } from '@kurator/sdk';
import type { Action, Incident } from '../brain/incident/incident.ts';
import type { ForeignWrite } from '../brain/observation.ts';
import type { Pass } from '../memory/pass.ts';
import type { KnownWorkload, ServiceRecord } from '../memory/service-record.ts';
import type { Workload } from '../resources/lookup.ts';
import { actionAnnotation, fieldManager, scaledTo } from '../resources/ownership.ts';
import { type Revision, restarted, restartedBy, versionsOf } from '../resources/revision.ts';
import type { ServiceObjects } from './service-objects.ts';

/** The workload, as it is to be remembered. */
export function knownWorkload({ kind, metadata, spec }: Workload): KnownWorkload {
  const { template = {}, replicas = 1, ...rest } = spec ?? {};
  const target = `${kind} ${metadata.name}`;
  return { uid: metadata.uid ?? '', target, replicas, template: checksum(template), rest: checksum(rest) };
}

/** What somebody else has changed since; undefined if nobody has, or only we did. */
export function foreignChange(
  before: KnownWorkload | undefined,
  workload: Workload,
  incident: Incident | undefined,
  revisions: readonly Revision[],
): ForeignWrite['what'] | undefined {
  const now = knownWorkload(workload);
  // Another one of the same name is all somebody else's.
  if (before && before.uid !== now.uid) return 'template';
  if (!before) return undefined;
  const own = ownChange(workload, incident, revisions);
  if (before.template !== now.template && own.template !== now.template) return 'template';
  if (before.rest !== now.rest) return 'other';
  return before.replicas !== now.replicas && own.replicas !== now.replicas ? 'replicas' : undefined;
}

/** What is remembered now. A change by somebody else stays on record until a newer one, or until the workload is another. */
export function rememberedWorkload(
  before: KnownWorkload | undefined,
  workload: Workload,
  write: ForeignWrite | undefined,
  revisions: readonly Revision[],
): KnownWorkload {
  const known = knownWorkload(workload);
  const foreignWrite = write ?? (before?.uid === known.uid ? before.foreignWrite : undefined);
  const versions = versionsOf(revisions);
  const isSame =
    fields.every((field) => before?.[field] === known[field]) &&
    foreignWrite === before?.foreignWrite &&
    isDeepStrictEqual(versions, before?.versions);
  return before && isSame ? before : { ...known, ...(versions && { versions }), ...(foreignWrite && { foreignWrite }) };
}

const fields = ['uid', 'target', 'replicas', 'template', 'rest'] as const;

/** What our own last change was to make of it. */
function ownChange(
  { metadata }: Workload,
  incident: Incident | undefined,
  revisions: readonly Revision[],
): { template?: string; replicas?: number } {
  const mark = metadata.annotations?.[actionAnnotation] ?? '';
  const scaled = scaledTo(mark);
  if (scaled !== undefined) return { replicas: scaled };
  const actions = incident?.attempts.flatMap((attempt) => attempt.actions) ?? [];
  const action = actions.find(({ id }) => id === mark);
  const template = action && templateBy(action, revisions);
  return {
    ...(template && { template: checksum(template) }),
    ...(action?.replicas !== undefined && { replicas: action.replicas }),
  };
}

/** The template that an action was to make; undefined where it makes none. */
function templateBy(action: Action, revisions: readonly Revision[]): PodTemplateSpec | undefined {
  const wanted = action.kind === 'roll' ? action.expect.revision : action.revision;
  const template = revisions.find(({ version }) => version === wanted)?.template;
  return template && action.kind === 'roll' ? restarted(template, restartedBy(action)) : template;
}

/** Who was the last to write the spec, other than we: as `managedFields` of a live read say. */
export function lastWriter({ metadata }: Workload, ours: readonly string[]): string {
  const writers = (metadata.managedFields ?? []).filter(
    ({ manager = '', subresource, fieldsV1 }) =>
      !subresource && !ours.includes(manager) && fieldsV1 && 'f:spec' in fieldsV1,
  );
  const newest = writers.toSorted((a, b) => (a.time ?? '').localeCompare(b.time ?? '')).at(-1);
  return newest?.manager ?? 'somebody';
}

/** The record with the workload as it is now. */
export async function withWorkload(record: ServiceRecord, objects: ServiceObjects, pass: Pass): Promise<ServiceRecord> {
  const { workload } = objects;
  const change = foreignChange(record.workload, workload, record.history.incident, objects.revisions);
  // What somebody changes of a service that is ours is put back before anybody sees it.
  const what = objects.target.owned && change === 'other' ? undefined : change;
  const write = what && { at: pass.now, by: await writerOf(objects, pass, what), what };
  const known = rememberedWorkload(record.workload, workload, write, objects.revisions);
  return known === record.workload ? record : { ...record, workload: known };
}

/** Caches don't keep who wrote what: it is asked for when it matters. */
async function writerOf(
  { target, workload }: ServiceObjects,
  { context, kurator }: Pass,
  what: ForeignWrite['what'],
): Promise<ForeignWrite['by']> {
  const isGiven = what !== 'replicas' || kurator.spec.service?.replicas !== undefined;
  if (target.owned && isGiven) return `whoever changed Kurator ${kurator.metadata.name}`;
  const client: Client = context.client;
  const live = await client.find(target.type, workload.metadata, { signal: context.signal });
  return live ? lastWriter(live, [fieldManager]) : 'somebody';
}
