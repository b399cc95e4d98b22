/**
 * What the brain keeps in mind of results that came and went: rows of them, baselines, losses. It is held in memory
 * only. After a crash everything in here is unknown until it is seen again, which costs time and never a wrong repair.
 */
import {
  type CheckResult,
  type InstanceObservation,
  type Observation,
  type PathSample,
  theService,
  type WorkloadObservation,
} from '../observation.ts';
import type { CheckSpec, ServiceSpec } from '../spec.ts';
import type { Millis } from '../time.ts';
import { type CheckTrack, follow, freshTrack } from './check-track.ts';
import { count, freshLossTrack, type LossTrack } from './packet-loss.ts';
import { freshTempo } from './tempo.ts';

/** What is kept in mind of one instance, or of the Service. */
export interface TargetPerception {
  /** By the check's name. */
  readonly checks: Readonly<Record<string, CheckTrack>>;
  /** By vantage point. */
  readonly paths: Readonly<Record<string, LossTrack>>;
  /** Container restarts when last seen, and when each newer one was. */
  readonly restarts: number;
  readonly crashes: readonly Millis[];
}

/** What is kept in mind of one service. */
export interface Perception {
  /** By uid, and by {@link theService}. */
  readonly targets: Readonly<Record<string, TargetPerception>>;
  /** Since when fewer instances have existed than are wanted, while all of them are ready; missing while it is not so. */
  readonly missingSince?: Millis;
}

/** What is new since the last time. */
export interface News {
  readonly results: readonly CheckResult[];
  /** From other vantage points; the operator's own come with the results. */
  readonly samples: readonly PathSample[];
  readonly instances: readonly InstanceObservation[];
  /** How many instances there should be, and when that was seen; missing where nobody has looked. */
  readonly wanted?: { readonly at: Millis; readonly desired: number; readonly rollout: WorkloadObservation['rollout'] };
}

/** What was seen of the workload, as news. */
export function wantedBy({ at, workload: { desired, rollout } }: Observation): NonNullable<News['wanted']> {
  return { at, desired, rollout };
}

/** The vantage point of the operator itself. */
export const theOperator = 'operator';

/** Nothing in mind. */
export const freshPerception: Perception = { targets: {} };

const freshTarget: TargetPerception = { checks: {}, paths: {}, restarts: 0, crashes: [] };
const crashesKept = 10;

/** Takes the news in. What belongs to instances that are gone, or to what a check was before it was edited, is forgotten. */
export function perceive(spec: ServiceSpec, perception: Perception, news: News): Perception {
  const draft: Draft = { targets: surviving(spec, perception, news.instances) };
  for (const result of news.results) takeResult(spec, draft, result);
  for (const sample of news.samples) if (isNewer(draft, sample)) takeSample(draft, sample);
  for (const instance of news.instances) takeRestarts(draft, instance, instance.uid in perception.targets);
  const missingSince = news.wanted ? missing(perception, news.wanted, news.instances) : perception.missingSince;
  return missingSince === undefined ? draft : { ...draft, missingSince };
}

/** Who is not ready yet is waited for by controllers, and who is to end has a name that another one waits for. */
function missing(
  { missingSince }: Perception,
  { at, desired, rollout }: NonNullable<News['wanted']>,
  instances: readonly InstanceObservation[],
): Millis | undefined {
  const isWaitedFor = rollout === 'progressing' || instances.some(({ ready, terminating }) => !ready && !terminating);
  return instances.length < desired && !isWaitedFor ? (missingSince ?? at) : undefined;
}

interface Draft {
  readonly targets: Record<string, TargetPerception>;
}

function surviving(
  spec: ServiceSpec,
  { targets }: Perception,
  instances: readonly InstanceObservation[],
): Draft['targets'] {
  const kept: Draft['targets'] = { [theService]: withoutEdited(spec, targets[theService] ?? freshTarget) };
  for (const { uid } of instances) kept[uid] = withoutEdited(spec, targets[uid] ?? freshTarget);
  return kept;
}

/** What an edited check answered before says nothing about what it asks now. */
function withoutEdited({ checks }: ServiceSpec, target: TargetPerception): TargetPerception {
  const isEdited = ({ name, definition }: CheckSpec) => (target.checks[name]?.definition ?? definition) !== definition;
  if (!checks.some(isEdited)) return target;
  const edited = new Set(checks.filter(isEdited).map(({ name }) => name));
  return { ...target, checks: Object.fromEntries(Object.entries(target.checks).filter(([name]) => !edited.has(name))) };
}

function takeResult(spec: ServiceSpec, { targets }: Draft, result: CheckResult): void {
  const check = spec.checks.find(({ name }) => name === result.check);
  const target = targets[result.target];
  if (!check || !target) return;
  const before = target.checks[check.name] ?? freshTrack;
  const after = follow(check, before, result);
  if (after === before) return;
  targets[result.target] = { ...target, checks: { ...target.checks, [check.name]: after } };
  if (!spec.ignoresLoss) takeSample({ targets }, openingOf(result));
}

/** A result also says how the opening of its connection went, if it got that far. */
function openingOf({ target, at, connectMs, errorKind, latencyMs }: CheckResult): PathSample | undefined {
  const path = { from: theOperator, to: target, at };
  if (connectMs !== undefined) return { ...path, connectMs, opened: true };
  return errorKind === 'connect-timeout' ? { ...path, connectMs: latencyMs, opened: false } : undefined;
}

/** What other vantage points tell may have been told before. */
function isNewer({ targets }: Draft, { from, to, at }: PathSample): boolean {
  return at > (targets[to]?.paths[from]?.lastAt ?? Number.NEGATIVE_INFINITY);
}

function takeSample({ targets }: Draft, sample: PathSample | undefined): void {
  // Behind the Service's address each opening may end at another instance.
  const target = sample && sample.to !== theService ? targets[sample.to] : undefined;
  if (!sample || !target) return;
  const track = count(target.paths[sample.from] ?? freshLossTrack, sample);
  targets[sample.to] = { ...target, paths: { ...target.paths, [sample.from]: track } };
}

function takeRestarts({ targets }: Draft, instance: InstanceObservation, isKnown: boolean): void {
  const target = targets[instance.uid];
  if (!target) return;
  const restarts = instance.containers.reduce((sum, container) => sum + container.restarts, 0);
  if (restarts <= target.restarts) return;
  const endedAt = Math.max(...instance.containers.map(({ ended }) => ended?.at ?? Number.NEGATIVE_INFINITY));
  // Several may have come between two looks, or within one second; of what was before the first look only the last is known.
  const many = Math.min(crashesKept, isKnown ? restarts - target.restarts : 1);
  const fresh = Number.isFinite(endedAt) ? Array.from({ length: many }, () => endedAt) : [];
  const crashes = [...target.crashes, ...fresh].slice(-crashesKept);
  targets[instance.uid] = { ...target, checks: withoutTempo(target.checks), restarts, crashes };
}

/** What was started anew may be slow until it is warm: what is usual for it has to be learned again. */
function withoutTempo(checks: TargetPerception['checks']): TargetPerception['checks'] {
  return Object.fromEntries(Object.entries(checks).map(([name, track]) => [name, { ...track, tempo: freshTempo }]));
}
