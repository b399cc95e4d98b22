/**
 * Which revision of a workload is which: Deployments keep theirs as ReplicaSets, StatefulSets as ControllerRevisions. A
 * restart makes a new one of each that runs the same as before: they are of one version.
 */
import { ControllerRevision, checksum, type PodTemplateSpec, ReplicaSet, type StatefulSet } from '@kurator/sdk';
import type { Look, Workload } from './lookup.ts';

const templateHash = 'pod-template-hash';
const revisionHash = 'controller-revision-hash';
const revisionNumber = 'deployment.kubernetes.io/revision';

/** The labels that say which revision a pod is of. */
export const revisionLabels = [templateHash, revisionHash];

/** On a pod template, when it was last to be restarted: as `kubectl rollout restart` writes it, and so do we. */
export const restartAnnotation = 'kubectl.kubernetes.io/restartedAt';

/** When a rolling update restarts the pods, as it is on their template: by the record, so that a second try is the same. */
export function restartedBy({ intendedAt }: { readonly intendedAt: number }): string {
  return new Date(intendedAt).toISOString();
}

/** A revision, as Kubernetes keeps it. */
export interface StoredRevision {
  /** As pods are labelled with it. */
  readonly id: string;
  /** Grows with each change. */
  readonly number: number;
  readonly template: PodTemplateSpec;
}

/** A revision that could be gone back to. */
export interface Revision extends StoredRevision {
  /** The id of the first revision that was seen to run the same: its own, unless it is a restart. */
  readonly version: string;
}

/** The version of each revision, by its id. */
export type Versions = Readonly<Record<string, string>>;

/** Versions that are remembered, at most. */
const versionsKept = 50;

/**
 * Tells restarts from new versions.
 *
 * @param revisions The newest first.
 * @param known As they were told apart before: the revision that a restart was made from may be gone meanwhile.
 */
export function withVersions(revisions: readonly StoredRevision[], known?: Versions): Revision[] {
  // Where nobody has ever restarted it, each is a version of its own, and nothing needs to be compared.
  if (!known && !revisions.some(isRestart)) return revisions.map((one) => ({ ...one, version: one.id }));
  const isNews = revisions.some(({ id }) => known?.[id] === undefined);
  const byContent = new Map<string, string>();
  const named = revisions.toReversed().map((one) => {
    if (!isNews) return { ...one, version: known?.[one.id] ?? one.id };
    const content = checksum(withoutRestart(one.template));
    const version = known?.[one.id] ?? byContent.get(content) ?? one.id;
    byContent.set(content, version);
    return { ...one, version };
  });
  return named.reverse();
}

/** What is to be remembered of them; undefined where each is a version of its own. */
export function versionsOf(revisions: readonly Revision[]): Versions | undefined {
  if (revisions.every((one) => one.version === one.id && !isRestart(one))) return undefined;
  return Object.fromEntries(revisions.slice(0, versionsKept).map(({ id, version }) => [id, version]));
}

function isRestart({ template }: StoredRevision): boolean {
  return template.metadata?.annotations?.[restartAnnotation] !== undefined;
}

/** The template as it would be, were it restarted at that time. */
export function restarted(template: PodTemplateSpec, at: string): PodTemplateSpec {
  const { annotations } = template.metadata ?? {};
  return { ...template, metadata: { ...template.metadata, annotations: { ...annotations, [restartAnnotation]: at } } };
}

/** The template as it was before anybody restarted it. */
export function withoutRestart(template: PodTemplateSpec): PodTemplateSpec {
  const { annotations: present, ...metadata } = template.metadata ?? {};
  if (present?.[restartAnnotation] === undefined) return template;
  const { [restartAnnotation]: _, ...annotations } = present;
  const others = Object.keys(annotations).length > 0 && { annotations };
  return { ...template, metadata: { ...metadata, ...others } };
}

/** The revisions of a Deployment that still exist, the newest first. */
function revisionsOfDeployment(replicaSets: readonly ReplicaSet[]): StoredRevision[] {
  return replicaSets
    .flatMap(({ metadata, spec }) => {
      const id = metadata.labels?.[templateHash];
      const number = Number(metadata.annotations?.[revisionNumber] ?? 0);
      return id && spec?.template ? [{ id, number, template: withoutHash(spec.template) }] : [];
    })
    .sort(newestFirst);
}

/** The revisions of a StatefulSet that still exist, the newest first. */
function revisionsOfStatefulSet(stored: readonly ControllerRevision[]): StoredRevision[] {
  return stored
    .flatMap(({ metadata, revision, data }) => {
      const { template } = (data as { spec?: { template?: PodTemplateSpec } } | undefined)?.spec ?? {};
      return template ? [{ id: metadata.name, number: revision, template: withoutMark(template) }] : [];
    })
    .sort(newestFirst);
}

/** Revisions that it could go back to, the newest first. */
export function revisionsOf(
  { kind, metadata }: Workload,
  look: Look,
  known?: { readonly uid: string; readonly versions?: Versions },
): Revision[] {
  const uid = metadata.uid ?? '';
  const stored =
    kind === 'Deployment'
      ? revisionsOfDeployment(look.byIndex(ReplicaSet, 'owner', uid))
      : revisionsOfStatefulSet(look.byIndex(ControllerRevision, 'owner', uid));
  return withVersions(stored, known?.uid === uid ? known.versions : undefined);
}

/** The revision that is wanted now; undefined while its controller has not seen the newest change yet. */
export function wantedRevision(workload: Workload, revisions: readonly Revision[]): Revision | undefined {
  const { metadata, status } = workload;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined;
  if (workload.kind === 'StatefulSet') {
    return revisions.find(({ id }) => id === (workload as StatefulSet).status?.updateRevision);
  }
  return revisions.find(({ number }) => number === Number(metadata.annotations?.[revisionNumber] ?? Number.NaN));
}

const newestFirst = (a: StoredRevision, b: StoredRevision) => b.number - a.number;

/** The label is what tells ReplicaSets apart; a template with it would make a revision of its own. */
function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [templateHash]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** ControllerRevisions are stored as strategic merge patches, with a mark that is no field. */
function withoutMark(template: PodTemplateSpec): PodTemplateSpec {
  const { $patch: _, ...rest } = template as PodTemplateSpec & { $patch?: string };
  return rest;
}
