/** What can be seen of one instance: one small function for each symptom, in a table. */

import type { ContainerEnd, InstanceObservation, NodeObservation } from '../observation.ts';
import { isComparable, mayBeChance, seenOf, standsOut } from '../perception/blips.ts';
import type { CheckTrack } from '../perception/check-track.ts';
import { staleAfter, verdictOf } from '../perception/check-track.ts';
import { usual } from '../perception/latency-baseline.ts';
import { losesNow, lossShare, wayOf } from '../perception/packet-loss.ts';
import type { TargetPerception } from '../perception/perception.ts';
import { isOutOfStep, windowOfAnswers } from '../perception/tempo.ts';
import type { CheckSpec, ServiceSpec } from '../spec.ts';
import { inWords, type Millis, minute, second } from '../time.ts';
import type { Ways } from './evidence.ts';
import type { IsProven } from './proven-checks.ts';
import { mannerOfError, type Sighting, type Symptom, type SymptomKind } from './symptom.ts';

/** What a detector looks at. */
export interface Look {
  readonly spec: ServiceSpec;
  /** The checks that ask each instance. */
  readonly checks: readonly CheckSpec[];
  readonly isProven: IsProven;
  readonly instance: InstanceObservation;
  readonly perceived: TargetPerception;
  readonly node: NodeObservation | undefined;
  readonly ways: Ways | undefined;
  readonly now: Millis;
}

type Detector = (look: Look) => Sighting | undefined;

const crashesThatLoop = 3;
const crashWindow = 10 * minute;
/** A container that has run this long since its last crash has left the loop. */
const outOfLoop = 2 * minute;
/** An instance that finds no node is often waiting for one that is being added. */
const unschedulableAfter = 30 * second;
/** A path that nobody has tried for this long says nothing. */
const pathStaleAfter = 5 * minute;
/** Slow results in a row after which also what all suffer from is worth a word. */
const sharedSlowAfter = 3 * windowOfAnswers;

/** The exit code of what was ended by SIGKILL. */
const killed = 137;
/** Of the memory that it may have. */
const nearlyAll = 0.9;
const usageCountsFor = minute;

const pulls = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const settings = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

const byWatch: Partial<Record<SymptomKind, Detector>> = {
  'node-gone': (look) => nodeTrouble(look, ({ gone }) => gone, 'gone'),
  'node-silent': (look) => nodeTrouble(look, ({ gone, ready }) => !gone && ready !== 'true', 'silent or not ready'),
  oom: (look) => endedBadly(look, (end) => isOutOfMemory(look, end), 'was killed for its memory'),
  crash: (look) => endedBadly(look, (end) => !isOutOfMemory(look, end), 'ended'),
  'crash-loop': crashLoop,
  image: (look) => waits(look, pulls, 'can not get its image'),
  configuration: (look) => waits(look, settings, 'can not be started as configured'),
  unschedulable: ({ instance: { unschedulable }, now }) =>
    unschedulable && {
      ...ripens(unschedulable.since, unschedulableAfter, now),
      says: `no node takes it: ${unschedulable.message}`,
    },
  unready: ({ spec, instance, now }) => {
    if (instance.ready !== false || instance.unschedulable) return undefined;
    const since = instance.readySince ?? instance.createdAt;
    return { ...ripens(since, patienceOf(spec), now), says: `not ready for ${inWords(now - since)}` };
  },
};

/** What the watches show. Only to be asked while they are current. */
export const watchDetectors = Object.entries(byWatch) as [SymptomKind, Detector][];

/** What has to last for so long before it counts. */
function ripens(since: Millis, patience: Millis, now: Millis): Omit<Sighting, 'says'> {
  return { since, confirmed: now - since >= patience, ripeAt: since + patience };
}

function nodeTrouble(look: Look, has: (node: NodeObservation) => boolean, how: string): Sighting | undefined {
  const { instance, node, spec, checks, now, perceived } = look;
  if (!node || !has(node)) return undefined;
  const ripeAt = node.gone ? node.since : Math.max(node.since + spec.recovery.nodeGrace, node.silentAloneFrom ?? 0);
  const waited = ripens(node.since, ripeAt - node.since, now);
  // Whoever still answers is alive, whatever its node says. Who was sent there when it was lost already never began to run.
  const runs = instance.containers.some(({ state }) => state === 'running');
  const mayAnswer = runs && checks.some((check) => mayBeAlive(check, perceived.checks[check.name], now));
  return { ...waited, confirmed: waited.confirmed && !mayAnswer, says: `its node ${node.name} is ${how}` };
}

/** What says that nobody was there, or nobody listened. */
const unanswered: ReadonlySet<SymptomKind | undefined> = new Set<SymptomKind>(['unreachable', 'refused']);

/**
 * Whoever has only just begun to look has asked nobody yet, and then in vain for a while, or not often enough. And whoever answers
 * otherwise than a check expects is alive as well: that may be the fault of the check, or of what it depends on.
 */
function mayBeAlive(check: CheckSpec, track: CheckTrack | undefined, now: Millis): boolean {
  if (!track || verdictOf(check, track, now) === 'healthy') return true;
  const { unknownSince = Number.NEGATIVE_INFINITY } = track;
  if (now - track.knownAt > staleAfter(check)) return now - unknownSince <= staleAfter(check);
  const last = track.errors.at(-1);
  return track.successes > 0 || (last !== undefined && !unanswered.has(mannerOfError[last.kind]));
}

/** How long the service's slowest check takes to confirm a failure. */
export function patienceOf({ checks }: ServiceSpec): Millis {
  return checks.reduce((longest, { failAfter, period }) => Math.max(longest, failAfter * period), 10 * second);
}

/**
 * A kubelet that is in a hurry does not say that it was the memory. One that was killed, and had just been seen to use
 * nearly all of it, was killed for that.
 */
function isOutOfMemory({ instance: { usage } }: Look, { reason, exitCode, at }: ContainerEnd): boolean {
  if (reason === 'OOMKilled') return true;
  if (exitCode !== killed || !usage || usage.at > at + second || at - usage.at > usageCountsFor) return false;
  return (usage.metrics.memory ?? 0) >= nearlyAll;
}

function endedBadly(look: Look, counts: (end: ContainerEnd) => boolean, what: string) {
  const { instance, spec, now } = look;
  for (const { name, ended, state, startedAt } of instance.containers) {
    if (!ended || ended.exitCode === 0 || !counts(ended)) continue;
    // Past its grace the checks say how it is, and where they don't know, nobody does.
    const isOld = now - (startedAt ?? ended.at) > spec.startupGrace;
    if (state === 'running' && (isOld || isBack(look, ended.at))) continue;
    const says = `container ${name} ${what} with exit code ${ended.exitCode}`;
    return { confirmed: true, since: ended.at, says };
  }
  return undefined;
}

/** Seen healthy by every check since then. */
export function hasAnswered({ checks, perceived }: Look, since: Millis): boolean {
  return checks.every(({ name }) => (perceived.checks[name]?.healthyAsOf ?? Number.NEGATIVE_INFINITY) >= since);
}

/** Seen healthy by every check whose word counts since then, and not unready. */
function isBack(look: Look, since: Millis): boolean {
  const checks = look.checks.filter(look.isProven);
  return hasAnswered({ ...look, checks }, since) && look.instance.ready !== false;
}

function crashLoop(look: Look): Sighting | undefined {
  const { instance, perceived, now } = look;
  const looping = instance.containers.find(({ waiting }) => waiting === 'CrashLoopBackOff');
  const recent = perceived.crashes.filter((at) => now - at < crashWindow);
  const last = recent.at(-1) ?? Number.NEGATIVE_INFINITY;
  if (!looping && (recent.length < crashesThatLoop || now - last > outOfLoop)) return undefined;
  const restarts = instance.containers.reduce((sum, container) => sum + container.restarts, 0);
  const since = looping?.ended?.at ?? recent[0] ?? instance.createdAt;
  // One that is well at the moment is watched, and left alone until it crashes once more.
  const confirmed = looping !== undefined || !isBack(look, last);
  return { confirmed, since, says: `crashes again and again, ${restarts} restarts by now` };
}

function waits(
  { instance, now, spec }: Look,
  reasons: ReadonlySet<string>,
  what: string,
): (Sighting & Pick<Symptom, 'isOfRegistry'>) | undefined {
  const container = instance.containers.find(({ waiting }) => waiting !== undefined && reasons.has(waiting));
  if (!container) return undefined;
  // The first refusal may be a hiccup of the registry: only one that the kubelet has begun to back off from is sure.
  const patience = container.waiting?.endsWith('BackOff') ? 0 : patienceOf(spec);
  return {
    ...ripens(instance.createdAt, patience, now),
    says: `container ${container.name} ${what} (${container.waiting})`,
    ...(reasons === pulls && !container.isImageAtFault && { isOfRegistry: true }),
  };
}

/** What one failing check shows; nothing when that was too long ago to mean anything. */
export function failingCheck(check: CheckSpec, track: CheckTrack | undefined, now: Millis) {
  if (!track || track.failures === 0 || track.failingSince === undefined) return undefined;
  if (now - track.knownAt > staleAfter(check)) return undefined;
  const last = track.errors.at(-1)?.kind ?? 'failing';
  // Of all the failures that it takes, not of the last alone: a way that is cut off or comes back in the middle of a check
  // looks like a hang for once. Where they differ, one that was not reached may be so for nobody's fault.
  const unreached = track.errors.find((error) => mannerOfError[error.kind] === 'unreachable');
  const kind = unreached ? 'unreachable' : (mannerOfError[last] ?? 'wrong');
  const detail = track.message ? `: ${track.message}` : '';
  const often = track.failures === 1 ? 'once' : `${track.failures} times in a row`;
  const says = `check ${check.name} failed ${often} (${last}${detail})`;
  const confirmed = track.verdict === 'failing';
  return { kind, confirmed, since: track.failingSince, says, ...(unreached && { unreachedSince: unreached.at }) };
}

/** The same of a check that has never passed: more likely the check is wrong than whom it asks. */
export function unprovenCheck(
  { name }: CheckSpec,
  { kind, confirmed, since, says }: Sighting & Pick<Symptom, 'kind'>,
): Symptom {
  // That says itself what is wrong, and nobody is ever touched for it.
  const isCertificate = kind === 'certificate';
  if (isCertificate) return { kind: 'unproven', isCertificate, confirmed, since, says };
  const remedy = `it has never passed since it is defined so; are the path, the port and the answer that ${name} expects right?`;
  return { kind: 'unproven', confirmed, since, says: `${says}: ${remedy}` };
}

/**
 * Its answers come far later than is usual for it; nothing when the last one is too long ago. What the others suffer from
 * as well, or may for all that is known, is said later, and as such.
 */
export function slowCheck(check: CheckSpec, look: Look, { looks, isSaturated }: Company): SharedSighting | undefined {
  const { name } = check;
  const { perceived, now } = look;
  const track = perceived.checks[name];
  if (!track || track.tempo.slow < windowOfAnswers || now - track.knownAt > staleAfter(check)) return undefined;
  const { tempo } = track;
  const others = othersOf(check, look, looks).map((other) => other.tempo);
  const isShared = !isOutOfStep(tempo, others);
  if (isShared && !isSaturated && tempo.slow < sharedSlowAfter) return undefined;
  const usually = inWords(usual(tempo.baseline));
  const says = `check ${name} answered ${tempo.slow} times in a row far slower than its usual ${usually}`;
  return { confirmed: true, since: tempo.slowSince ?? track.knownAt, says, ...(isShared && { isShared }) };
}

/** The same check of the other instances, where it is known. */
function othersOf(check: CheckSpec, look: Look, looks: readonly Look[]): CheckTrack[] {
  return looks.flatMap((one) => {
    const other = one === look || one.instance.terminating ? undefined : one.perceived.checks[check.name];
    return other && look.now - other.knownAt <= staleAfter(check) ? [other] : [];
  });
}

/** It fails now and then, more often than by chance; nothing when the last answer is too long ago. */
export function intermittentCheck(check: CheckSpec, look: Look, looks: readonly Look[]): SharedSighting | undefined {
  const track = look.perceived.checks[check.name];
  // Hardly any does: only for one that does the others are looked at.
  if (!track?.blips.wavers) return undefined;
  const others = othersOf(check, look, looks).map(({ blips }) => blips);
  // Whether it is one alone has to be known before it is said.
  return wavers(check, track, look.now, !standsOut(track.blips, others), others.length > 0 && !isComparable(others));
}

/** The same of whoever answers through the Service. */
export function wavers(
  check: CheckSpec,
  track: CheckTrack | undefined,
  now: Millis,
  isShared = true,
  isOpen = false,
): SharedSighting | undefined {
  if (!track?.blips.wavers || now - track.knownAt > staleAfter(check)) return undefined;
  const { trials, wrong } = seenOf(track.blips);
  const says = `check ${check.name} failed ${wrong} times among ${trials + wrong}, for a moment each`;
  return { confirmed: !isOpen, since: track.blips.since ?? track.knownAt, says, ...(isShared && { isShared }) };
}

/** Whether a row of failures is no more than what all of them suffer from now and then. */
export function isChance(check: CheckSpec, look: Look, looks: readonly Look[]): boolean {
  const track = look.perceived.checks[check.name];
  if (!track) return false;
  const others = othersOf(check, look, looks);
  const begun = others.filter(({ failures, verdict }) => failures > 0 && verdict !== 'failing').length;
  const row = { length: track.failures, since: track.failingSince ?? track.knownAt, begun };
  return mayBeChance(
    row,
    [track, ...others].map(({ blips }) => blips),
  );
}

interface Company {
  /** At all instances, this one among them. */
  readonly looks: readonly Look[];
  /** It uses nearly all that it may. */
  readonly isSaturated: boolean;
}

type SharedSighting = Sighting & Pick<Symptom, 'isShared'>;

/** Packets are lost on the way to it. Where others can't be judged yet, it can't be said whose loss that is. */
export function lossTo({ perceived, ways }: Look, isLocatable: boolean): Sighting | undefined {
  const [first] = ways?.lossy ?? [];
  const track = first === undefined ? undefined : perceived.paths[first];
  if (!track) return undefined;
  const share = Math.round(100 * (lossShare(track) ?? 0));
  const says = `about ${share} % of packets are lost on the way from ${ways?.lossy.join(', ')}`;
  const isPresent = ways?.lossy.some((from) => perceived.paths[from] && losesNow(perceived.paths[from]));
  return { confirmed: isLocatable && isPresent === true, since: track.lastAt, says };
}

/** From where it can be reached, and how; undefined when nobody has tried. */
export function waysTo({ paths }: TargetPerception, now: Millis): Ways | undefined {
  let ways: Record<keyof Ways, string[]> | undefined;
  for (const from in paths) {
    const track = paths[from];
    if (!track || now - track.lastAt > pathStaleAfter) continue;
    ways ??= { lossy: [], clear: [], unclear: [], silent: [] };
    // On a lossy path now and then an opening fails altogether.
    const isSilent = track.silent !== undefined && track.verdict !== 'lossy';
    ways[isSilent ? 'silent' : wayOf(track)].push(from);
  }
  return ways;
}
