/** Gathers everything that is to be known of one Kurator before it is thought about. */
import type { Mode, ServiceSpec } from '../brain/spec.ts';
import { Kurator } from '../resources/kurator.ts';
import { handOver } from '../serving/hand-over.ts';
import { notServed, serve } from '../serving/serve.ts';
import type { Served } from '../serving/served.ts';
import { type Present, serviceSpecOf } from '../translating/service-spec.ts';
import type { Case, Round } from './case.ts';
import { relationsOf, withDependencies } from './dependencies.ts';
import { withWorkload } from './known-workload.ts';
import { type Memory, memoryOf } from './memory.ts';
import { type Scene, sceneOf, targetKey, targetOf } from './scene.ts';

/** Why a Kurator can't be looked after: a word and a sentence. */
export interface NoCase {
  readonly reason: string;
  readonly problem: string;
  /** What an open incident was about is not there any more, or not this one's; otherwise a person has to make way. */
  readonly isGone: boolean;
  /** It can be looked after, but is another one than the open incident was about. */
  readonly isOther?: true;
}

/** What a round begins with. */
type Beginning = Pick<Round, 'kurator' | 'context' | 'mind' | 'now'>;

interface Prepared {
  /** As it was written before. */
  readonly written: Memory;
  readonly served: Served | undefined;
}

/** Makes the service as described, where it is ours, and lets go of what was. */
export async function prepare(round: Beginning, mode: Mode): Promise<Prepared | NoCase> {
  const { kurator, now } = round;
  await handOver(round);
  const taken = takenBy(round);
  if (taken) return taken;
  const written = memoryOf(kurator, now);
  const served = mode === 'On' ? await serve(round, written) : notServed(kurator, written, mode);
  if (served?.stranger) return { reason: 'NotOurs', problem: served.stranger, isGone: true };
  return { written, served };
}

/** Sees to the service itself; then looks. */
export async function caseOf(round: Round): Promise<Case | NoCase> {
  const { kurator, context, now, ward, mind } = round;
  const { mode } = ward;
  const prepared = await prepare(round, mode);
  if ('problem' in prepared) return prepared;
  const { written, served } = prepared;
  const scene = sceneOf(kurator, context, now, written, mind.service);
  if (!scene) {
    return served?.problem ? { reason: 'NotApplied', problem: served.problem, isGone: false } : notFound(kurator);
  }
  const other = changedTarget(written, scene);
  if (other) return other;
  const { heldBack: _, ...unheld } = written;
  const held = served?.heldBack && { heldBack: served.heldBack };
  const memory = await withWorkload({ ...unheld, ...held }, scene, round);
  const readSecret = await ward.secrets.load(kurator, mind, context.client, context.signal);
  const relations = relationsOf(kurator, context, ward, now);
  const desired = scene.workload.spec?.replicas ?? 1;
  const { kind, name } = scene.target;
  const stateful = kind === 'StatefulSet';
  const described = specOf(kurator, { desired, stateful, workload: `${kind}/${name}`, mode, now });
  if ('problem' in described) return described;
  const spec = withDependencies(described, relations);
  const { scaling } = kurator.spec;
  if (scaling) ward.gauges.refresh(mind, scaling, scene);
  return { ...round, scene, spec, relations, memory, served, readSecret };
}

function notFound(kurator: Kurator): NoCase {
  const { kind, name } = targetOf(kurator);
  return {
    reason: 'TargetNotFound',
    problem: `there is no ${kind} ${name} in namespace ${kurator.metadata.namespace}`,
    isGone: true,
  };
}

/** An incident of one workload says nothing about another. */
function changedTarget({ history, workload }: Memory, { target }: Scene): NoCase | undefined {
  const now = `${target.kind} ${target.name}`;
  if (!history.incident || workload?.target === undefined || workload.target === now) return undefined;
  return { reason: 'TargetChanged', problem: `it is about ${now} now`, isGone: true, isOther: true };
}

/** Two that repair one workload would fight: it is the older one's. */
function takenBy({ kurator, context }: Beginning): NoCase | undefined {
  const { kind, name } = targetOf(kurator);
  const all = context.byIndex(Kurator, 'target', targetKey(kurator.metadata.namespace, kind, name));
  const [first] = all.toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)));
  if (!first || first.metadata.uid === kurator.metadata.uid) return undefined;
  return {
    reason: 'TargetTaken',
    problem: `${kind} ${name} is looked after by Kurator ${first.metadata.name} already`,
    isGone: true,
  };
}

function ageOf({ metadata }: Kurator): string {
  return `${metadata.creationTimestamp} ${metadata.name}`;
}

/** What no schema can refuse, such as a cron expression, is refused here. */
function specOf(kurator: Kurator, present: Present): ServiceSpec | NoCase {
  try {
    return serviceSpecOf(kurator, present);
  } catch (error) {
    return { reason: 'InvalidSpec', problem: error instanceof Error ? error.message : String(error), isGone: false };
  }
}
