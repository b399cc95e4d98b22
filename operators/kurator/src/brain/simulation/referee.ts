/**
 * Watches a simulated operator with the truth in hand, and notes every breach of the eight rules. It knows nothing of how
 * the brain decides: it compares what was done with what was so.
 */
import { namespaceOf } from '../cluster/survey.ts';
import type { History } from '../incident/history.ts';
import { type Action, type Incident, openAttempt } from '../incident/incident.ts';
import { atEase, mayFollow } from '../incident/stage.ts';
import { type CheckResult, theService } from '../observation.ts';
import { type ClusterSpec, minHealthy, type ServiceSpec } from '../spec.ts';
import type { Thought } from '../think.ts';
import { type Millis, minute, second } from '../time.ts';
import { createStandstill, holdsUntil, type Standstill } from './standstill.ts';
import { isIll, type SimInstance, type SimService, serves, type World } from './world.ts';

/** The rules, by their number in the design. */
export type RuleNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** One breach. */
export interface Breach {
  readonly rule: RuleNumber;
  readonly at: Millis;
  readonly what: string;
}

/** What is written down of a thought, or in the place of one. */
export type Written = Pick<Thought, 'history' | 'incident' | 'notifications' | 'notices' | 'beginsRepair'>;

/** Watches, and notes. */
export interface Referee {
  readonly breaches: Breach[];
  /** What the checker told the brain. */
  heard(world: World, service: SimService, results: readonly CheckResult[]): void;
  /** A thought was written down. */
  wrote(world: World, service: SimService, before: History, thought: Written): void;
  /** All services were counted: so many hold shared budget. */
  readonly surveyed: Standstill['surveyed'];
  /** An action is begun. */
  begins(world: World, action: Action): void;
  /** An action takes effect. */
  acts(world: World, service: SimService, action: Action): void;
  /** Nobody describes a service of this name any more: the next one is another. */
  gone(name: string): void;
  /** Somebody else changes a workload. */
  foreign(world: World, service: SimService, history: History): void;
}

/** An ailment that has passed this recently may still be acted upon: it takes time to see, to decide and to do. */
const afterglow = 90 * second;
/** So long must somebody have been well before to touch them counts as a breach of the minimum. */
const wellFor = 90 * second;
const outageAfterglow = 2 * minute;

/** A referee for one simulation. */
export function createReferee(cluster: ClusterSpec): Referee {
  const breaches: Breach[] = [];
  /** The end of the last result that showed trouble, and of the last one that showed none; by uid. */
  const troubleAt = new Map<string, Millis>();
  const begun: { service: string; at: Millis }[] = [];
  /** Until when those that are under repair count as such. */
  const open = new Map<string, Millis>();
  const told = new Map<string, number>();
  /** Incidents during which somebody else changed the workload, and when. */
  const touchedByOthers = new Map<string, Millis>();
  const left = new Map<string, Set<string>>();
  /** The definitions of checks that have passed on somebody who was ready; by service. */
  const passed = new Map<string, Set<string>>();
  /** When the operator could last ask nobody. */
  let unaskedAt = Number.NEGATIVE_INFINITY;
  const standstill = createStandstill((at, what) => note(8, at, what));

  function note(rule: RuleNumber, at: Millis, what: string): void {
    breaches.push({ rule, at, what });
  }

  function heard(world: World, service: SimService, results: readonly CheckResult[]): void {
    for (const { target, outcome, at, connectMs = 0, latencyMs } of results) {
      const isTrouble = outcome === 'failing' || connectMs > 900 || latencyMs > 200;
      if (isTrouble) troubleAt.set(target, at);
    }
    notePassed(service, results);
    if (world.isCutOff || world.isCheckerBlind) unaskedAt = world.now;
    for (const instance of service.instances) {
      const isReported = instance.endedAt !== undefined || !instance.ready || isOnBadNode(world, instance);
      if (isReported) troubleAt.set(instance.uid, world.now);
    }
  }

  function begins({ now, mode }: World, { id }: Action): void {
    if (mode !== 'On') note(9, now, `${id} was begun though the switch is ${mode}`);
  }

  function notePassed({ spec, instances }: SimService, results: readonly CheckResult[]): void {
    const ready = new Set(instances.filter((one) => one.ready).map(({ uid }) => uid));
    const known = passed.get(spec.name) ?? new Set();
    for (const { target, check, outcome } of results) {
      const isReady = target === theService ? ready.size > 0 : ready.has(target);
      if (outcome === 'healthy' && isReady) known.add(definitionOf(spec, check));
    }
    passed.set(spec.name, known);
  }

  function acts(world: World, service: SimService, action: Action): void {
    const touched = touchedBy(service, action);
    if (action.kind === 'evict' || action.kind === 'roll')
      for (const instance of touched) judgeTouch(world, service, instance, action);
    if (action.kind === 'rollback') judgeRollback(world, service, action, touched);
    if (action.kind !== 'scale')
      judgeMinimum(world, service, action.kind === 'roll' ? missedBy(world, service) : touched, action);
    judgeOthers(world, service, action);
  }

  function judgeTouch(world: World, service: SimService, instance: SimInstance, { intendedAt }: Action): void {
    const seen = troubleAt.get(instance.uid) ?? Number.NEGATIVE_INFINITY;
    // Loss and slowness show only now and then.
    const lately = instance.illness === 'loss' ? 10 * minute : afterglow;
    if (world.now - seen > lately) note(1, world.now, `${instance.uid} was taken away though nothing was seen of it`);
    judgeWord(world, service, instance, intendedAt);
    if (isIll(world, instance) || world.now - instance.illAt <= afterglow) return;
    if (looksLost(world, instance)) return;
    const outage = service.spec.dependsOn.find(
      (name) => world.now - (world.services.get(name)?.downAt ?? Number.NEGATIVE_INFINITY) <= outageAfterglow,
    );
    const rule = outage ? 6 : 1;
    const whose = outage ? `, for the fault of ${outage}` : '';
    note(rule, world.now, `${instance.uid} was taken away and was not ill${whose}`);
  }

  /** Whoever can't ask, and hears from Kubernetes that the node is silent, has to take it for lost. */
  function looksLost(world: World, instance: SimInstance): boolean {
    return isOnBadNode(world, instance) && world.now - unaskedAt <= afterglow;
  }

  /** Of a hang nobody knows but the checks, unless the kubelet had told of a crash before it. */
  function judgeWord(world: World, { spec, editedAt }: SimService, instance: SimInstance, intendedAt: Millis): void {
    if (
      instance.illness !== 'hang' ||
      instance.endedAt !== undefined ||
      isOnBadNode(world, instance) ||
      intendedAt <= editedAt
    )
      return;
    if (spec.checks.some(({ name }) => passed.get(spec.name)?.has(definitionOf(spec, name)))) return;
    note(1, world.now, `${instance.uid} was taken away by the word of a check that has never passed`);
  }

  function judgeRollback(
    world: World,
    service: SimService,
    { revision }: Action,
    touched: readonly SimInstance[],
  ): void {
    const gone = left.get(service.spec.name) ?? new Set();
    left.set(service.spec.name, gone);
    if (revision !== undefined && gone.has(revision)) note(5, world.now, `went back to ${revision}, which it had left`);
    if (gone.has(service.revision))
      note(5, world.now, `left ${service.revision} again, which somebody had brought back`);
    gone.add(service.revision);
    const isBad = touched.some((instance) => isIll(world, instance) || world.now - instance.illAt <= afterglow);
    if (!isBad) note(1, world.now, `rolled ${service.spec.name} back though nobody was ill`);
  }

  function judgeMinimum(
    world: World,
    service: SimService,
    touched: readonly SimInstance[],
    { intendedAt }: Action,
  ): void {
    const isWell = (one: SimInstance) =>
      serves(world, one) && !looksLost(world, one) && world.now - Math.max(one.illAt, one.startedAt) > wellFor;
    if (!touched.some(isWell)) return;
    // Who has fallen ill only since it was decided could not be known of.
    const fellIll = (one: SimInstance) => isIll(world, one) && one.illAt < intendedAt && one.goneAt === undefined;
    const isLeft = (one: SimInstance) => !touched.includes(one) && (serves(world, one) || fellIll(one));
    const rest = service.instances.filter(isLeft).length;
    const least = minHealthy(service.spec.recovery, service.desired);
    if (rest < least) note(2, world.now, `${service.spec.name} has ${rest} healthy left, and ${least} must be`);
  }

  function judgeOthers(world: World, { spec, generation }: SimService, action: Action): void {
    if (action.expect.generation !== generation) note(5, world.now, `${action.id} was done to a newer ${spec.name}`);
    const at = touchedByOthers.get(incidentOf(action));
    if (at === undefined) return;
    const isUndoing = action.kind === 'rollback' || action.kind === 'scale';
    if (isUndoing) note(5, world.now, `${action.id} undid what somebody had written`);
    if (action.intendedAt > at && action.intendedAt - at < spec.recovery.yieldFor) {
      note(5, world.now, `${action.id} did not wait for somebody's change`);
    }
  }

  function wrote(world: World, service: SimService, before: History, thought: Written): void {
    const { name } = service.spec;
    if (thought.beginsRepair) judgeBudget(world, service);
    const attempt = thought.history.incident && openAttempt(thought.history.incident);
    if (attempt && attempt.step !== 'kubernetes') open.set(name, holdsUntil(attempt));
    else open.delete(name);
    const { incident } = thought;
    if (!incident) return;
    // Where nothing was done, there was no repair.
    for (const { startedAt, result } of incident.attempts) {
      const index = begun.findIndex(({ service, at }) => service === name && at === startedAt);
      if (result === 'refused' && index >= 0) begun.splice(index, 1);
    }
    judgeTries(world, service, incident);
    judgeRecord(world, before, incident, thought);
    standstill.wrote(world, before, incident, thought.notifications);
    if (incident.stage === 'recovered') touchedByOthers.delete(incident.id);
  }

  function judgeBudget(world: World, { spec }: SimService): void {
    const { now } = world;
    begun.push({ service: spec.name, at: now });
    const mine = begun.filter(({ service, at }) => service === spec.name && now - at < spec.recovery.budget.per);
    if (mine.length > spec.recovery.budget.repairs) note(3, now, `${mine.length} repairs of ${spec.name}`);
    const all = begun.filter(({ at }) => now - at < cluster.budget.per);
    if (all.length > cluster.budget.repairs) note(3, now, `${all.length} repairs in the cluster`);
    const isBeside = ([name, until]: [string, Millis]) => name !== spec.name && now <= until;
    const others = [...open].filter(isBeside).map(([name]) => name);
    if (others.length >= cluster.concurrent) note(3, now, `${spec.name} is repaired beside ${others}`);
    const isNear = (name: string) => namespaceOf(name) === namespaceOf(spec.name);
    const share = Math.max(1, Math.ceil(cluster.concurrent * cluster.namespaceShare));
    const isShared = [...world.services].some(([name, { isDescribed }]) => isDescribed && !isNear(name));
    if (isShared && others.filter(isNear).length >= share) note(3, now, `${spec.name} takes more than its share`);
  }

  function judgeTries({ now }: World, { spec }: SimService, incident: Incident): void {
    const counted = incident.attempts.slice(incident.countsFrom).filter(({ result }) => result !== 'refused');
    for (const [step, { tries, deadline }] of Object.entries(spec.recovery.steps)) {
      const used = counted.filter((attempt) => attempt.step === step);
      if (used.length > tries) note(4, now, `${step} was tried ${used.length} times`);
      const last = used.at(-1);
      const waves = Math.max(1, last?.present.length ?? 1);
      const isLate = last && !last.result && now - last.startedAt > waves * deadline + spec.recovery.patience + minute;
      if (isLate) note(4, now, `${step} does not end`);
    }
    const repairs = counted.filter(({ step }) => step !== 'kubernetes').length;
    if (repairs > spec.recovery.repairs) note(4, now, `${repairs} repairs in one incident`);
  }

  /** Every change of stage is on record, allowed, and told by exactly one notification. */
  function judgeRecord({ now }: World, before: History, incident: Incident, { history, notifications }: Written): void {
    const { id, transitions } = incident;
    const known = before.incident?.id === id ? before.incident : undefined;
    for (const what of badWays(incident, known)) note(7, now, what);
    for (const seq of notifications.flatMap((one) => one.transitions)) {
      if (seq !== (told.get(id) ?? 0) + 1) note(7, now, `change ${seq} of ${id} is told twice, or too late`);
      told.set(id, seq);
    }
    const isClosed = history.incident?.id !== id;
    if (isClosed && told.get(id) !== transitions.length) note(7, now, `${id} was closed in silence`);
  }

  function foreign({ now }: World, _service: SimService, { incident }: History): void {
    if (incident && !atEase.has(incident.stage)) touchedByOthers.set(incident.id, now);
  }

  function gone(name: string): void {
    open.delete(name);
    left.delete(name);
    passed.delete(name);
    for (let index = begun.length - 1; index >= 0; index--) if (begun[index]?.service === name) begun.splice(index, 1);
  }

  return { breaches, heard, wrote, begins, acts, foreign, gone, surveyed: standstill.surveyed };
}

/** Changes of stage since `known` that are not on record as they should be. */
function badWays({ id, stage: last, transitions }: Incident, known: Incident | undefined): string[] {
  const bad = transitions.at(-1)?.to === last ? [] : [`${id} is ${last} without a record of it`];
  let stage = known?.stage;
  for (const [index, { seq, from, to }] of [...transitions.entries()].slice(known?.transitions.length ?? 0)) {
    const isAllowed = stage === undefined ? to === 'suspected' : mayFollow[stage].includes(to);
    if (seq !== index + 1 || from !== stage || !isAllowed) bad.push(`${id}: ${to} follows ${stage}`);
    stage = to;
  }
  return bad;
}

/** Whom a rolling update may take away before somebody is there in their place: at worst, those that serve. */
function missedBy(world: World, { instances, surge }: SimService): SimInstance[] {
  const serving = instances.filter((one) => serves(world, one));
  return serving.slice(0, surge?.unavailable ?? serving.length);
}

function touchedBy({ instances, revision }: SimService, { kind, targets, intendedAt }: Action): SimInstance[] {
  if (kind === 'roll') return instances.filter((one) => one.goneAt === undefined && one.createdAt <= intendedAt);
  if (kind === 'rollback') return instances.filter((one) => one.revision === revision && one.goneAt === undefined);
  return instances.filter(({ uid }) => targets.some((target) => target.uid === uid));
}

function isOnBadNode(world: World, instance: SimInstance): boolean {
  return world.nodes.find(({ name }) => name === instance.node)?.state !== 'up';
}

function definitionOf({ checks }: ServiceSpec, check: string): string {
  return `${check} ${checks.find(({ name }) => name === check)?.definition}`;
}

function incidentOf({ id }: Action): string {
  return id.slice(0, id.lastIndexOf('/'));
}
