/**
 * Elastic scaling: how many instances there should be. Each metric asks for as many as would bring its average back to
 * the target; the greediest is heard; the mildest advice of the last while counts; and no change is greater or sooner
 * than allowed. Whoever can't see holds, and no pod is taken away while something is wrong.
 */
import type { UsageObservation } from '../observation.ts';
import type { ScalingRate, ScalingSpec } from '../spec.ts';
import { inWords, type Millis, minute } from '../time.ts';

/** One instance, as scaling sees it. */
export interface ScalingInstance {
  readonly uid: string;
  /** Whether it takes its share of the load: neither starting nor ending. */
  readonly serving: boolean;
  readonly usage?: UsageObservation;
}

/** What scaling sees. */
export interface ScalingMetrics {
  /** Replicas that are set now. */
  readonly replicas: number;
  readonly instances: readonly ScalingInstance[];
  /** Another scaler that sets the replicas, if there is one. */
  readonly autoscaler?: string;
  /** When somebody else last set the replicas. */
  readonly foreignWriteAt?: Millis;
  /** Why the service is not as it should be: an open incident, a storm, blindness, a pause; missing when it is. */
  readonly trouble?: string;
  /** Why nothing may be done at all: a pause, maintenance, a dry run, blindness. */
  readonly forbidden?: string;
}

/** What was advised at some moment. */
export interface Advice {
  readonly at: Millis;
  readonly replicas: number;
}

/** What scaling keeps in mind. Losing it costs a stabilisation window in which no pod is taken away. */
export interface ScalingMemory {
  /** Since when it has been watching. */
  readonly since: Millis;
  /** The last while's advice, the newest last. */
  readonly advice: readonly Advice[];
  /** The last change in each direction. */
  readonly lastOut?: Millis;
  readonly lastIn?: Millis;
}

/** What to do about the number of instances. */
export interface ScalingDecision {
  readonly kind: 'hold' | 'out' | 'in';
  /** The replicas to set; the present ones to hold. */
  readonly replicas: number;
  readonly reason: string;
  readonly memory: ScalingMemory;
}

/** Nothing in mind. */
export function freshScalingMemory(now: Millis): ScalingMemory {
  return { since: now, advice: [] };
}

/** After somebody else has set the replicas, that is left alone for a while. */
const yieldFor = 5 * minute;
/** Advice is kept at this distance at least, so that a fast check does not fill the memory. */
const adviceEvery = 1000;

/** Decides on the number of instances. */
export function scale(spec: ScalingSpec, metrics: ScalingMetrics, before: ScalingMemory, now: Millis): ScalingDecision {
  const { replicas } = metrics;
  const stay = (reason: string, memory = before): ScalingDecision => ({ kind: 'hold', replicas, reason, memory });
  const refused = refusal(metrics, now);
  if (refused !== undefined) return stay(refused);
  const wanted = advise(spec, metrics, now);
  if (wanted.replicas === undefined) return stay(wanted.reason);
  const memory = remember(spec, before, { at: now, replicas: wanted.replicas }, now);
  if (wanted.replicas > replicas) return scaleOut(spec, metrics, memory, wanted.reason, now) ?? stay('steady', memory);
  if (wanted.replicas < replicas) return scaleIn(spec, metrics, memory, wanted, now) ?? stay('steady', memory);
  return stay(wanted.reason, memory);
}

function refusal({ autoscaler, forbidden, foreignWriteAt }: ScalingMetrics, now: Millis): string | undefined {
  if (autoscaler !== undefined) return `${autoscaler} sets its replicas: two scalers would fight`;
  if (forbidden !== undefined) return forbidden;
  const rest = (foreignWriteAt ?? Number.NEGATIVE_INFINITY) + yieldFor - now;
  return rest > 0 ? `somebody else has set the replicas; left alone for another ${inWords(rest)}` : undefined;
}

interface Wanted {
  /** Undefined when nothing is known. */
  readonly replicas?: number;
  readonly reason: string;
  /** A metric is missing somewhere: enough to scale out, never to scale in. */
  readonly isPartial?: boolean;
}

function advise(spec: ScalingSpec, metrics: ScalingMetrics, now: Millis): Wanted {
  const each = spec.targets.map(({ metric, target }) => adviceOf(spec, metrics, metric, target, now));
  const known = each.filter((one) => one.replicas !== undefined);
  const [first] = known;
  if (!first) return { reason: each[0]?.reason ?? 'no metric is given' };
  const greediest = known.reduce((most, one) => ((one.replicas ?? 0) > (most.replicas ?? 0) ? one : most), first);
  const replicas = Math.min(spec.max, Math.max(spec.min, greediest.replicas ?? metrics.replicas));
  const isPartial = known.length < each.length || each.some((one) => one.isPartial);
  return { replicas, reason: greediest.reason, isPartial };
}

function adviceOf(spec: ScalingSpec, metrics: ScalingMetrics, metric: string, target: number, now: Millis): Wanted {
  const serving = metrics.instances.filter((instance) => instance.serving);
  const values = serving.flatMap(({ usage }) => {
    const value = usage && now - usage.at <= spec.staleAfter ? usage.metrics[metric] : undefined;
    return value !== undefined && Number.isFinite(value) ? value : [];
  });
  if (values.length === 0) return { reason: `${metric} is not known: it holds` };
  const missing = Math.max(0, metrics.replicas - values.length);
  const total = values.reduce((sum, value) => sum + value, 0);
  const reason = `${metric} is ${round(total / values.length)} on average, and should be ${round(target)}`;
  const ratio = cautious(total / target, values.length, missing);
  const isPartial = missing > 0;
  if (Math.abs(ratio - 1) <= spec.tolerance) return { replicas: metrics.replicas, reason, isPartial };
  return { replicas: Math.ceil(metrics.replicas * ratio - 1e-9), reason, isPartial };
}

/** The share of the target that is used. Who is not seen is taken to be idle if the others ask for more, else on target. */
function cautious(used: number, seen: number, missing: number): number {
  const ratio = used / seen;
  if (missing === 0) return ratio;
  return ratio > 1 ? Math.max(1, used / (seen + missing)) : Math.min(1, (used + missing) / (seen + missing));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function remember(spec: ScalingSpec, memory: ScalingMemory, advice: Advice, now: Millis): ScalingMemory {
  const kept = Math.max(spec.in.stabilisation, spec.out.stabilisation);
  const recent = memory.advice.filter(({ at }) => now - at <= kept);
  const last = recent.at(-1);
  const isClose = last && advice.at - last.at < adviceEvery && last.replicas === advice.replicas;
  return { ...memory, advice: isClose ? recent : [...recent, advice] };
}

function scaleOut(
  spec: ScalingSpec,
  { replicas }: ScalingMetrics,
  memory: ScalingMemory,
  reason: string,
  now: Millis,
): ScalingDecision | undefined {
  const since = now - spec.out.stabilisation;
  const mildest = Math.min(...memory.advice.filter(({ at }) => at >= since).map((one) => one.replicas));
  if (now - (memory.lastOut ?? Number.NEGATIVE_INFINITY) < spec.out.every || mildest <= replicas) return undefined;
  // Not watched for long enough to know that this lasts.
  if (now - memory.since < spec.out.stabilisation) return undefined;
  const to = Math.min(mildest, spec.max, replicas + most(spec.out, replicas));
  return to > replicas ? { kind: 'out', replicas: to, reason, memory: { ...memory, lastOut: now } } : undefined;
}

function scaleIn(
  spec: ScalingSpec,
  { replicas, trouble }: ScalingMetrics,
  memory: ScalingMemory,
  { reason, isPartial }: Wanted,
  now: Millis,
): ScalingDecision | undefined {
  const hold = (why: string): ScalingDecision => ({ kind: 'hold', replicas, reason: why, memory });
  if (trouble !== undefined) return hold(`no pod is taken away now: ${trouble}`);
  if (isPartial) return hold('no pod is taken away while a metric is missing');
  if (now - memory.since < spec.in.stabilisation) return hold('not watched for long enough to take anybody away');
  if (now - (memory.lastIn ?? Number.NEGATIVE_INFINITY) < spec.in.every) return undefined;
  const since = now - spec.in.stabilisation;
  const mildest = Math.max(...memory.advice.filter(({ at }) => at >= since).map((one) => one.replicas));
  const to = Math.max(mildest, spec.min, replicas - most(spec.in, replicas));
  return to < replicas ? { kind: 'in', replicas: to, reason, memory: { ...memory, lastIn: now } } : undefined;
}

function most({ instances, share }: ScalingRate, replicas: number): number {
  return Math.max(1, instances, Math.floor(replicas * share));
}
