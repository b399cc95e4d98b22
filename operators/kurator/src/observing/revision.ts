/** Which revision of a workload is which: Deployments keep theirs as ReplicaSets, StatefulSets as ControllerRevisions. */
import type { ControllerRevision, Deployment, PodTemplateSpec, ReplicaSet, StatefulSet } from '@kurator/sdk';

const templateHash = 'pod-template-hash';
const revisionHash = 'controller-revision-hash';
const revisionNumber = 'deployment.kubernetes.io/revision';

/** The labels that say which revision a pod is of. */
export const revisionLabels = [templateHash, revisionHash];

/** A revision that could be gone back to. */
export interface Revision {
  /** As pods are labelled with it. */
  readonly id: string;
  /** Grows with each change. */
  readonly number: number;
  readonly template: PodTemplateSpec;
}

/** The revisions of a Deployment that still exist, the newest first. */
export function revisionsOfDeployment(replicaSets: readonly ReplicaSet[]): Revision[] {
  return replicaSets
    .flatMap(({ metadata, spec }) => {
      const id = metadata.labels?.[templateHash];
      const number = Number(metadata.annotations?.[revisionNumber] ?? 0);
      return id && spec?.template ? [{ id, number, template: withoutHash(spec.template) }] : [];
    })
    .sort(newestFirst);
}

/** The revisions of a StatefulSet that still exist, the newest first. */
export function revisionsOfStatefulSet(stored: readonly ControllerRevision[]): Revision[] {
  return stored
    .flatMap(({ metadata, revision, data }) => {
      const { template } = (data as { spec?: { template?: PodTemplateSpec } } | undefined)?.spec ?? {};
      return template ? [{ id: metadata.name, number: revision, template: withoutMark(template) }] : [];
    })
    .sort(newestFirst);
}

/** The revision that is wanted now; undefined while its controller has not seen the newest change yet. */
export function wantedRevision(
  workload: Deployment | StatefulSet,
  revisions: readonly Revision[],
): Revision | undefined {
  const { metadata, status } = workload;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined;
  if (workload.kind === 'StatefulSet') {
    return revisions.find(({ id }) => id === (workload as StatefulSet).status?.updateRevision);
  }
  return revisions.find(({ number }) => number === Number(metadata.annotations?.[revisionNumber] ?? Number.NaN));
}

const newestFirst = (a: Revision, b: Revision) => b.number - a.number;

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
