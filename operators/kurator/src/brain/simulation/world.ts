/**
 * A small cluster that exists only as numbers: nodes, services, instances, and what they suffer from. It knows the truth,
 * which the brain does not; it behaves like Kubernetes where that matters: missing instances are made anew, rollouts go
 * one instance at a time, crashed containers are restarted.
 */
import type { ForeignWrite, Surge } from '../observation.ts';
import type { Mode, ServiceSpec } from '../spec.ts';
import { type Millis, second } from '../time.ts';

/** What an instance can suffer from. `crash` is over after one restart; `deaf` hangs, and so many wait that nobody is let in. */
export type Illness =
  | 'crash'
  | 'crash-loop'
  | 'oom'
  | 'image'
  | 'hang'
  | 'deaf'
  | 'wrong'
  | 'slow'
  | 'loss'
  | 'saturated'
  | 'flaky';

/** One instance, in truth. */
export interface SimInstance {
  readonly uid: string;
  readonly name: string;
  readonly node: string;
  readonly revision: string;
  /** Which restart of that revision it came with. */
  readonly restart: number;
  readonly createdAt: Millis;
  startedAt: Millis;
  illness: Illness | undefined;
  /** When it was last not serving, by its own illness or its node's. */
  illAt: Millis;
  goneAt: Millis | undefined;
  /** Nobody waits for its node to say that it has ended. */
  isForcedOut: boolean;
  restarts: number;
  endedAt: Millis | undefined;
  readySince: Millis;
  ready: boolean;
}

/** One node, in truth. */
export interface SimNode {
  readonly name: string;
  /** On a `mute` one all goes on, but for its kubelet. */
  state: 'up' | 'mute' | 'silent' | 'gone';
  since: Millis;
}

/** One service, in truth. */
export interface SimService {
  spec: ServiceSpec;
  desired: number;
  revision: string;
  /** How often it was restarted as a whole: each makes other instances of the same revision. */
  restarts: number;
  /** How it makes new ones before the old ones go; undefined where it doesn't. */
  readonly surge: Surge | undefined;
  /** The revision and restart that its controller has noted on it. */
  noted: string;
  readonly revisions: string[];
  /** Revisions whose instances are ill from birth, and with what. */
  readonly badRevisions: Map<string, Illness>;
  /** Of those, the ones that only every other instance suffers from. */
  readonly flakyRevisions: Set<string>;
  /** Edits of its checks so far; with every odd one they ask for what nobody has. */
  edits: number;
  editedAt: Millis;
  /** What every instance falls ill with, whatever is done about it. */
  curse: Illness | undefined;
  /** Since when somebody has suffered from it. */
  cursedSince: Millis | undefined;
  generation: number;
  foreignWrite: ForeignWrite | undefined;
  instances: SimInstance[];
  /** Actions that were carried out, by id: the API server remembers them by annotations and uids. */
  readonly applied: Set<string>;
  made: number;
  /** When it was last down, for whatever reason. */
  downAt: Millis;
  /** Whether anybody wants it looked after, can be understood, and there is something to be looked after. */
  isDescribed: boolean;
  isUnderstood: boolean;
  isThere: boolean;
  /** Which workload it is about: another number is another one. */
  target: number;
  /** No more instances than this are admitted. */
  quota: number;
  /** So many at a time a PodDisruptionBudget that nobody sees lets go. */
  evictable: number;
}

/** The cluster, in truth. */
export interface World {
  now: Millis;
  /** The checker can't ask anybody. */
  isCheckerBlind: boolean;
  /** The operator reaches nobody. */
  isCutOff: boolean;
  /** When that changed, and when it last did after a while without a change. */
  wayChangedAt: Millis;
  wayTornAt: Millis;
  /** The cluster's switch, as a person has set it. */
  mode: Mode;
  readonly nodes: SimNode[];
  readonly services: Map<string, SimService>;
}

/** How long an instance takes to start and to end. */
export const startTime = 8 * second;
const endTime = 3 * second;
const restartTime = 2 * second;

/** A cluster of these services, all of them well. */
export function createWorld(
  specs: readonly ServiceSpec[],
  desired: number,
  nodes: number,
  now: Millis,
  surge?: Surge,
): World {
  const world: World = {
    now,
    isCheckerBlind: false,
    isCutOff: false,
    wayChangedAt: Number.NEGATIVE_INFINITY,
    wayTornAt: Number.NEGATIVE_INFINITY,
    mode: 'On',
    nodes: Array.from({ length: nodes }, (_, index) => ({ name: `n${index + 1}`, state: 'up', since: now })),
    services: new Map(),
  };
  for (const spec of specs) {
    const service: SimService = {
      spec,
      desired,
      revision: 'r1',
      restarts: 0,
      // Two of one name must never run.
      surge: spec.stateful ? undefined : surge,
      noted: 'r1/0',
      revisions: ['r1'],
      badRevisions: new Map(),
      flakyRevisions: new Set(),
      edits: 0,
      editedAt: now,
      curse: undefined,
      cursedSince: undefined,
      generation: 1,
      foreignWrite: undefined,
      instances: [],
      applied: new Set(),
      made: 0,
      downAt: Number.NEGATIVE_INFINITY,
      isDescribed: true,
      isUnderstood: true,
      isThere: true,
      target: 1,
      quota: Number.POSITIVE_INFINITY,
      evictable: Number.POSITIVE_INFINITY,
    };
    world.services.set(spec.name, service);
    for (let count = 0; count < desired; count++) make(world, service, now - startTime);
  }
  return world;
}

function make(world: World, service: SimService, at: Millis): void {
  const number = ++service.made;
  const up = world.nodes.filter(({ state }) => state === 'up');
  const { name: node } = up[number % Math.max(1, up.length)] ?? { name: 'none' };
  const isSpared = service.flakyRevisions.has(service.revision) && number % 2 === 0;
  const illness = (isSpared ? undefined : service.badRevisions.get(service.revision)) ?? service.curse;
  service.instances.push({
    uid: `${service.spec.name}-${number}`,
    name: `${service.spec.name}-${number}`,
    node,
    revision: service.revision,
    restart: service.restarts,
    createdAt: at,
    startedAt: at,
    illness,
    illAt: illness ? at : Number.NEGATIVE_INFINITY,
    goneAt: undefined,
    isForcedOut: false,
    restarts: 0,
    endedAt: undefined,
    readySince: at,
    ready: false,
  });
}

/** Whether it was ever able to serve, as its own health goes. */
export function isIll(world: World, { illness, node }: SimInstance): boolean {
  return illness !== undefined || !runsOn(world, node);
}

/** Whether what is on that node runs. */
export function runsOn({ nodes }: World, node: string): boolean {
  const state = nodes.find(({ name }) => name === node)?.state;
  return state === 'up' || state === 'mute';
}

/** Whether nothing is heard from that node: nobody on it can be seen to end. */
function isUnheard({ nodes }: World, node: string): boolean {
  const state = nodes.find(({ name }) => name === node)?.state;
  return state === 'silent' || state === 'mute';
}

const bearable = new Set<Illness | undefined>(['slow', 'loss', 'saturated', 'flaky']);

/** Whether it serves now, be it badly. Nobody is sent to one that is to end. */
export function serves(world: World, instance: SimInstance): boolean {
  return instance.goneAt === undefined && answers(world, instance);
}

/** Whether it would, if it were asked: one that nobody ends runs on. */
export function answers(world: World, instance: SimInstance): boolean {
  const ends = instance.goneAt !== undefined && !isUnheard(world, instance.node);
  if (ends || world.now < instance.startedAt + startTime) return false;
  if (bearable.has(instance.illness)) return true;
  return !isIll(world, instance);
}

/** Whether nobody of the service serves, or something that it depends on is down. */
export function isDown(world: World, service: SimService): boolean {
  if (!service.isThere) return true;
  if (service.desired > 0 && !service.instances.some((instance) => serves(world, instance))) return true;
  return service.spec.dependsOn.some((name) => {
    const needed = world.services.get(name);
    return needed !== undefined && isDown(world, needed);
  });
}

/** Lets time pass. */
export function pass(world: World, to: Millis): void {
  world.now = to;
  drain(world);
  for (const service of world.services.values()) {
    service.instances = service.instances.filter((instance) => !hasEnded(world, instance));
    for (const instance of service.instances) live(world, instance, to);
    note(service);
    roll(world, service);
    replenish(world, service);
    if (isDown(world, service)) service.downAt = to;
    const isCursed = service.curse && service.instances.some(({ illness }) => illness === service.curse);
    service.cursedSince = isCursed ? (service.cursedSince ?? to) : undefined;
  }
}

/** Kubernetes waits for this long before it says of a node that it is silent, and then before it takes away what is there. */
export const missedAfter = 50 * second;
const tolerated = 300 * second;

/** Whoever is on a node that was not heard of for long is told to end. */
function drain(world: World): void {
  const { nodes, services, now } = world;
  const lost = nodes.filter((node) => isUnheard(world, node.name) && now - node.since >= missedAfter + tolerated);
  for (const { name } of lost)
    for (const { instances } of services.values())
      for (const instance of instances) if (instance.node === name) remove(world, instance);
}

function hasEnded(world: World, { goneAt, isForcedOut, node }: SimInstance): boolean {
  if (goneAt === undefined || world.now < goneAt) return false;
  return isForcedOut || !isUnheard(world, node);
}

const restartable = new Set<Illness | undefined>(['crash', 'crash-loop', 'oom']);

function live(world: World, instance: SimInstance, now: Millis): void {
  if (isIll(world, instance)) instance.illAt = now;
  if (restartable.has(instance.illness) && instance.endedAt === undefined) instance.endedAt = now;
  const isDue = instance.endedAt !== undefined && now - instance.endedAt >= backoff(instance);
  if (restartable.has(instance.illness) && isDue) restart(instance, now);
  const hangs = instance.illness === 'hang' || instance.illness === 'deaf';
  const ready = serves(world, instance) || (hangs && now >= instance.startedAt + startTime);
  if (ready !== instance.ready) instance.readySince = now;
  instance.ready = ready;
}

function restart(instance: SimInstance, now: Millis): void {
  instance.restarts++;
  instance.startedAt = now;
  if (instance.illness === 'crash') instance.illness = undefined;
  else instance.endedAt = now;
}

/** The kubelet restarts at once, and then waits longer and longer. */
export function backoff({ restarts }: SimInstance): Millis {
  return Math.min(300 * second, restarts === 0 ? restartTime : 10 * second * 2 ** (restarts - 1));
}

/** A Deployment's own controller writes the revision's number on it, which makes another generation of it. */
function note(service: SimService): void {
  const wanted = `${service.revision}/${service.restarts}`;
  if (service.noted === wanted) return;
  service.noted = wanted;
  service.generation++;
}

/** Whether it was not made from what is wanted now. */
export function isOutdated({ revision, restarts }: SimService, instance: SimInstance): boolean {
  return instance.revision !== revision || instance.restart !== restarts;
}

function roll(world: World, service: SimService): void {
  const old = service.instances.filter((one) => isOutdated(service, one) && one.goneAt === undefined);
  if (old.length === 0) return;
  const live = service.instances.filter(({ goneAt }) => goneAt === undefined);
  const available = live.filter(({ ready }) => ready).length;
  const least = service.desired - (service.surge?.unavailable ?? service.spec.recovery.maxUnavailable);
  const [next] = old.toSorted((a, b) => Number(a.ready) - Number(b.ready));
  // A StatefulSet waits for ever for one that is not ready, of whichever revision.
  if (service.spec.stateful && live.some(({ ready }) => !ready)) return;
  // As the workload's own controller: who is not ready may go, who is only while enough are.
  if (next && (!next.ready || available - 1 >= least)) remove(world, next);
}

/** An instance is told to end. */
export function remove({ now }: World, instance: SimInstance): void {
  instance.goneAt ??= now + endTime;
}

function replenish(world: World, service: SimService): void {
  if (!service.isThere) return;
  const live = service.instances.filter(({ goneAt }) => goneAt === undefined);
  const fresh = live.filter((one) => !isOutdated(service, one)).length;
  const wanted = service.desired + (service.surge && fresh < live.length ? 1 : 0);
  // Two of one name must never run: who is to end is waited for.
  const ending = service.spec.stateful ? service.instances.length - live.length : 0;
  const missing = Math.min(wanted - live.length, service.desired - fresh) - ending;
  const admitted = Math.min(missing, service.quota - service.instances.length);
  for (let count = 0; count < admitted; count++) make(world, service, world.now);
  for (const extra of live.slice(0, Math.max(0, live.length - wanted))) remove(world, extra);
}

/** The workload is deleted, and its instances with it. */
export function demolish(service: SimService): void {
  service.isThere = false;
  service.instances = [];
}

/** It is made again: all of it is somebody else's writing. */
export function rebuild(service: SimService, by: ForeignWrite): void {
  service.isThere = true;
  service.instances = [];
  service.generation = 1;
  service.foreignWrite = by;
}

/** It is restarted as a whole, by whomever. */
export function rollOut(service: SimService, by?: ForeignWrite): void {
  service.restarts++;
  service.generation++;
  if (by) service.foreignWrite = by;
}

/** Somebody deploys a revision. */
export function deploy(service: SimService, revision: string, by: ForeignWrite): void {
  service.revision = revision;
  if (!service.revisions.includes(revision)) service.revisions.push(revision);
  service.generation++;
  service.foreignWrite = by;
}
