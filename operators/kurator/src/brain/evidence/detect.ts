/** From what was seen to what is wrong: the symptoms of every instance and of the service, and how each of them is. */

import {
  type InstanceObservation,
  type NodeObservation,
  type Observation,
  theService,
  type UsageObservation,
} from '../observation.ts';
import { verdictOf } from '../perception/check-track.ts';
import { areComparable } from '../perception/packet-loss.ts';
import type { Perception, TargetPerception } from '../perception/perception.ts';
import type { CheckSpec, ServiceSpec } from '../spec.ts';
import { inWords, type Millis, minute, second } from '../time.ts';
import type { Condition, Evidence, InstanceEvidence, InstanceHealth } from './evidence.ts';
import {
  failingCheck,
  hasAnswered,
  intermittentCheck,
  isChance,
  type Look,
  lossTo,
  slowCheck,
  unprovenCheck,
  watchDetectors,
  wavers,
  waysTo,
} from './instance-detectors.ts';
import type { IsProven } from './proven-checks.ts';
import { impairing, type Symptom } from './symptom.ts';

/** Watches that have not been confirmed for this long show the past. */
export const blindAfter = 30 * second;
const usageStaleAfter = 2 * minute;
const saturatedFrom = 0.9;
/** Controllers make what is missing at once: what takes this much longer than a start may is not made. */
const createdWithin = 30 * second;
/** What an instance may run out of, so that more instances would help. */
const limits = ['cpu', 'memory'];

const nothing: TargetPerception = { checks: {}, paths: {}, restarts: 0, crashes: [] };

/**
 * Everything that can be said about a service now, without saying why.
 *
 * @param isProven Whose word counts: what any other check says is only told.
 */
export function detect(
  spec: ServiceSpec,
  perception: Perception,
  seen: Observation,
  isProven: IsProven,
  now: Millis,
): Evidence {
  const age = now - seen.at;
  const isBlind = age > blindAfter;
  const nodes = new Map(seen.nodes.map((node) => [node.name, node]));
  const checks = spec.checks.filter(({ through }) => through === 'instance');
  const looks = seen.instances.map((instance) => lookAt({ spec, checks, isProven, now }, perception, instance, nodes));
  const isDeploying = seen.workload.rollout === 'progressing';
  const around = { isBlind, isDeploying, isLossLocatable: isLossLocatable(looks) };
  const instances = looks.map((look) => examine(look, looks, around));
  const symptoms = [
    ...instances.flatMap((instance) => instance.symptoms),
    ...ofService({ spec, isProven, now }, perception, instances),
    ...(isBlind ? [] : ofWorkload(spec, perception, seen, now)),
  ];
  const counts = tally(instances);
  const evidence = { at: now, desired: seen.workload.desired, instances, symptoms, counts };
  const condition = isBlind ? 'unknown' : conditionOf(spec, perception, evidence, now);
  const healthyAsOf = condition === 'up' ? seenHealthyAsOf(spec, perception, seen) : undefined;
  return {
    ...evidence,
    condition,
    ...(isBlind && { blind: `nothing was heard from the API server for more than ${inWords(blindAfter)}` }),
    ...(healthyAsOf !== undefined && { healthyAsOf }),
  };
}

function lookAt(
  common: Pick<Look, 'spec' | 'checks' | 'isProven' | 'now'>,
  { targets }: Perception,
  instance: InstanceObservation,
  nodes: ReadonlyMap<string, NodeObservation>,
): Look {
  const node = instance.node === undefined ? undefined : nodes.get(instance.node);
  const perceived = targets[instance.uid] ?? nothing;
  return { ...common, instance, perceived, node, ways: waysTo(perceived, common.now) };
}

interface Around {
  readonly isBlind: boolean;
  readonly isDeploying: boolean;
  readonly isLossLocatable: boolean;
}

function isLossLocatable(looks: readonly Look[]): boolean {
  const live = looks.filter(({ instance }) => !instance.terminating);
  if (live.some(({ ways }) => (ways?.unclear.length ?? 0) > 0)) return false;
  const tracks = live.flatMap(({ perceived, ways }) =>
    [...(ways?.lossy ?? []), ...(ways?.clear ?? [])].flatMap((from) => perceived.paths[from] ?? []),
  );
  return areComparable(tracks);
}

function examine(look: Look, looks: readonly Look[], around: Around): InstanceEvidence {
  const { isBlind, isDeploying, isLossLocatable } = around;
  const { instance, ways, now } = look;
  const saturated = isSaturated(instance.usage, now);
  const company = { looks, isSaturated: saturated === true };
  const all = [...(isBlind ? [] : fromWatches(look)), ...fromChecks(look, company, isLossLocatable)];
  const starts = !isBlind && isStarting(look, now);
  // A fresh instance may fail its checks and be unready; that it crashes or has no image is no matter of patience.
  const counted = starts ? all.filter(({ kind }) => !gracious.has(kind)) : all;
  const symptoms = isDeploying ? counted.filter(({ confirmed }) => confirmed) : counted;
  const changesAt = nextChange(look, all, starts);
  const answered = lastAnswers(look);
  const { crashes } = look.perceived;
  return {
    name: instance.name,
    uid: instance.uid,
    revision: instance.revision,
    createdAt: instance.createdAt,
    ready: instance.ready === true,
    symptoms: instance.terminating ? leftBehind(look, symptoms) : symptoms,
    health: healthOf(look, symptoms, starts, isBlind),
    ...(instance.node !== undefined && { node: instance.node }),
    ...(crashes.length > 0 && { crashes }),
    ...(saturated !== undefined && { saturated }),
    ...(ways && { ways }),
    ...(answered && { answered }),
    ...(changesAt !== undefined && { changesAt }),
  };
}

/**
 * What can still be said of one that is to end: nothing, unless nobody is there to see it end. A StatefulSet makes no other
 * one before that; what was on a node that is gone, Kubernetes takes away itself.
 */
function leftBehind({ spec, node }: Look, symptoms: readonly Symptom[]): Symptom[] {
  if (!spec.stateful || !node || node.gone || node.ready !== 'unknown') return [];
  return symptoms.filter(({ kind }) => kind === 'node-silent');
}

/** Of the check that was answered last. */
function lastAnswers({ checks, perceived }: Look): InstanceEvidence['answered'] {
  let last: InstanceEvidence['answered'];
  for (const { name } of checks) {
    const { healthySince: from, healthyAsOf: to } = perceived.checks[name] ?? {};
    if (from !== undefined && to !== undefined && to > (last?.to ?? Number.NEGATIVE_INFINITY)) last = { from, to };
  }
  return last;
}

/** Nobody may say a word until then: whoever only waits for news would come too late. */
function nextChange(look: Look, symptoms: readonly Symptom[], starts: boolean): Millis | undefined {
  const grace = starts ? [startOf(look) + look.spec.startupGrace] : [];
  const ahead = [...grace, ...symptoms.flatMap(({ ripeAt }) => ripeAt ?? [])].filter((at) => at > look.now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

const gracious: ReadonlySet<Symptom['kind']> = new Set<Symptom['kind']>([
  'unready',
  'refused',
  'hang',
  'unreachable',
  'wrong',
  'slow',
  'intermittent',
]);

function fromWatches(look: Look): Symptom[] {
  const symptoms: Symptom[] = [];
  for (const [kind, detector] of watchDetectors) {
    const sighting = detector(look);
    if (sighting) symptoms.push({ kind, instance: look.instance.uid, ...said(look, sighting) });
  }
  return symptoms;
}

type Company = Parameters<typeof slowCheck>[2];

function fromChecks(look: Look, company: Company, isLossLocatable: boolean): Symptom[] {
  // What was heard last while it was starting says nothing about now.
  const heard = look.checks.filter(({ name }) => !isStarting(look, look.perceived.checks[name]?.knownAt ?? look.now));
  const symptoms = heard.flatMap((check) =>
    look.isProven(check) ? fromCheck(check, look, company) : fromUnproven(check, look),
  );
  const loss = lossTo(look, isLossLocatable);
  if (loss) symptoms.push({ kind: 'loss', instance: look.instance.uid, ...said(look, loss) });
  return symptoms;
}

function fromCheck(check: CheckSpec, look: Look, company: Company): Symptom[] {
  const symptoms: Symptom[] = [];
  const instance = look.instance.uid;
  const failing = failingCheck(check, look.perceived.checks[check.name], look.now);
  if (failing) {
    const confirmed = failing.confirmed && !isChance(check, look, company.looks);
    symptoms.push({ instance, ...said(look, failing), kind: failing.kind, confirmed });
  }
  const intermittent = intermittentCheck(check, look, company.looks);
  if (intermittent) symptoms.push({ kind: 'intermittent', instance, ...said(look, intermittent) });
  const slow = slowCheck(check, look, company);
  if (slow) symptoms.push({ kind: 'slow', instance, ...said(look, slow) });
  return symptoms;
}

/** Where Kubernetes does not call it ready either, that is what counts. */
function fromUnproven(check: CheckSpec, look: Look): Symptom[] {
  const failing = look.instance.ready ? failingCheck(check, look.perceived.checks[check.name], look.now) : undefined;
  return failing ? [{ instance: look.instance.uid, ...said(look, unprovenCheck(check, failing)) }] : [];
}

function said<S extends { says: string }>({ instance }: Look, sighting: S): S {
  return { ...sighting, says: `${instance.name}: ${sighting.says}` };
}

/** Within its grace at that time, and not seen well since its container was started. */
function isStarting(look: Look, at: Millis): boolean {
  const startedAt = startOf(look);
  return at - startedAt < look.spec.startupGrace && !hasStarted(look, startedAt);
}

/** Whoever was well once has started: what it loses afterwards is no matter of its start any more. */
function hasStarted(look: Look, startedAt: Millis): boolean {
  const { ready, readySince = Number.NEGATIVE_INFINITY } = look.instance;
  return hasAnswered(look, startedAt) && (ready !== false || readySince > startedAt);
}

/** When the last of its containers was started. */
function startOf({ instance }: Look): Millis {
  return instance.containers.reduce((last, { startedAt = last }) => Math.max(last, startedAt), instance.createdAt);
}

function healthOf(look: Look, symptoms: readonly Symptom[], starts: boolean, isBlind: boolean): InstanceHealth {
  const { instance, checks, perceived, now } = look;
  if (instance.terminating) return leftBehind(look, symptoms).some(isConfirmed) ? 'failing' : 'terminating';
  const sure = symptoms.filter(({ kind, confirmed, isShared }) => confirmed && !isShared && kind !== 'unproven');
  if (sure.some(({ kind }) => !impairing.has(kind))) return 'failing';
  if (sure.length > 0) return 'impaired';
  if (isBlind) return 'unknown';
  if (starts) return 'starting';
  if (!checks.every((check) => verdictOf(check, perceived.checks[check.name], now) === 'healthy')) return 'unknown';
  if (instance.ready === false) return 'starting';
  return checks.length > 0 || instance.ready ? 'healthy' : 'unknown';
}

const isConfirmed = ({ confirmed }: Symptom) => confirmed;

function isSaturated(usage: UsageObservation | undefined, now: Millis): boolean | undefined {
  if (!usage || now - usage.at > usageStaleAfter) return undefined;
  const known = limits.flatMap((limit) => usage.metrics[limit] ?? []);
  return known.length === 0 ? undefined : known.some((share) => share >= saturatedFrom);
}

const throughService = 'through the Service: ';

function ofService(
  { spec, isProven, now }: Pick<Look, 'spec' | 'isProven' | 'now'>,
  { targets }: Perception,
  instances: readonly InstanceEvidence[],
): Symptom[] {
  const symptoms: Symptom[] = [];
  // Behind a Service whose instances all only start, there is nobody who could answer.
  const isAnybodyThere = instances.some(({ health }) => health !== 'starting' && health !== 'terminating');
  const isAnybodyReady = instances.some(({ ready, health }) => ready && health !== 'terminating');
  for (const check of spec.checks) {
    if (check.through === 'instance') continue;
    const track = targets[theService]?.checks[check.name];
    const wavering = wavers(check, track, now);
    if (wavering) symptoms.push({ ...wavering, kind: 'intermittent', says: `${throughService}${wavering.says}` });
    const failing = failingCheck(check, track, now);
    if (!failing || !isAnybodyThere) continue;
    const says = `${throughService}${failing.says}`;
    if (isProven(check)) symptoms.push({ ...failing, kind: 'service', says });
    else if (isAnybodyReady) symptoms.push(unprovenCheck(check, { ...failing, says }));
  }
  return symptoms;
}

/** What its controller does not do. */
function ofWorkload(
  { startupGrace }: ServiceSpec,
  { missingSince }: Perception,
  seen: Observation,
  now: Millis,
): Symptom[] {
  const { rollout, stalledSince = now } = seen.workload;
  const confirmed = true;
  const symptoms: Symptom[] = [];
  if (missingSince !== undefined && now - missingSince >= startupGrace + createdWithin)
    symptoms.push({ kind: 'missing', confirmed, since: missingSince, says: missingInWords(seen) });
  if (rollout === 'stalled')
    symptoms.push({ kind: 'stalled', confirmed, since: stalledSince, says: 'its rollout makes no progress' });
  return symptoms;
}

function missingInWords({ workload: { desired, creationFailure }, instances }: Observation): string {
  const count = desired - instances.length;
  const says = `${count} of ${desired} pods ${count === 1 ? 'does' : 'do'} not exist`;
  return creationFailure ? `${says}: ${creationFailure}` : says;
}

function tally(instances: readonly InstanceEvidence[]): Record<InstanceHealth, number> {
  const counts = { healthy: 0, impaired: 0, failing: 0, starting: 0, unknown: 0, terminating: 0 };
  for (const { health } of instances) counts[health]++;
  return counts;
}

function conditionOf(
  spec: ServiceSpec,
  { targets }: Perception,
  { counts, desired, symptoms }: Omit<Evidence, 'condition'>,
  now: Millis,
): Condition {
  const { healthy, impaired, failing, unknown } = counts;
  if (symptoms.some(({ kind, confirmed }) => kind === 'service' && confirmed)) return 'down';
  const isMissing = symptoms.some(({ kind }) => kind === 'missing');
  if ((failing > 0 || isMissing) && healthy + impaired + unknown === 0) return 'down';
  if (symptoms.some(({ kind, confirmed }) => confirmed && kind !== 'unproven')) return 'degraded';
  const asked = spec.checks.filter(({ through }) => through === 'service');
  const answers = asked.every((check) => verdictOf(check, targets[theService]?.checks[check.name], now) === 'healthy');
  // What is only suspected is not known to be well.
  if (symptoms.length > 0 || unknown > 0 || (!answers && desired > 0)) return 'unknown';
  return healthy >= desired ? 'up' : 'degraded';
}

/** The beginning of the oldest of the newest healthy runs of all checks. */
function seenHealthyAsOf(spec: ServiceSpec, { targets }: Perception, seen: Observation): Millis {
  let oldest = seen.at;
  for (const { name, through } of spec.checks) {
    const asked = through === 'service' ? [theService] : seen.instances.filter((one) => !one.terminating).map(uidOf);
    for (const target of asked) oldest = Math.min(oldest, targets[target]?.checks[name]?.healthyAsOf ?? oldest);
  }
  return oldest;
}

function uidOf({ uid }: InstanceObservation): string {
  return uid;
}
