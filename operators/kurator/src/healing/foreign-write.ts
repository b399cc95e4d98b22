/**
 * Whose a change of the workload is: ours, by the action's id on it and by what that action was to make, or somebody
 * else's. It goes by content: a Deployment's generation also counts changes of annotations, its own controller's among them.
 */
import { isDeepStrictEqual } from 'node:util';
import { checksum, type PodTemplateSpec } from '@kurator/sdk';
import { actionAnnotation, restartedBy } from '../acting/carry-out.ts';
import type { Action, Incident } from '../brain/incident/incident.ts';
import type { ForeignWrite } from '../brain/observation.ts';
import { type Revision, restarted, versionsOf } from '../observing/revision.ts';
import type { Workload } from '../observing/workload.ts';
import type { KnownWorkload } from './memory.ts';

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

/** Scaling says on the workload what it has scaled to, so that nobody takes it for a person's doing. */
const scalingMark = /^scale\/\d+\/(\d+)$/;

/** The mark of a change of replicas that elastic scaling makes. */
export function markOfScaling(generation: number, replicas: number): string {
  return `scale/${generation}/${replicas}`;
}

/** What our own last change was to make of it. */
function ownChange(
  { metadata }: Workload,
  incident: Incident | undefined,
  revisions: readonly Revision[],
): { template?: string; replicas?: number } {
  const mark = metadata.annotations?.[actionAnnotation] ?? '';
  const scaledTo = scalingMark.exec(mark)?.[1];
  if (scaledTo !== undefined) return { replicas: Number(scaledTo) };
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
