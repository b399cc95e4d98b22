/** What the brain gets to see of the simulated cluster: true, except where the checker or a path is in trouble. */
import type {
  CheckResult,
  ContainerObservation,
  DependantObservation,
  DependencyObservation,
  InstanceObservation,
  NodeObservation,
  Observation,
} from '../observation.ts';
import { theService } from '../observation.ts';
import type { CheckSpec } from '../spec.ts';
import { type Millis, second } from '../time.ts';
import type { Random } from './random.ts';
import {
  answers,
  backoff,
  isDown,
  isOutdated,
  missedAfter,
  runsOn,
  type SimInstance,
  type SimNode,
  type SimService,
  startTime,
  type World,
} from './world.ts';

/** How well the checker itself does. */
export interface Senses {
  /** The share of runs that end unknown. */
  readonly unknown: number;
  /** The share of packets lost on the way to one with that illness. */
  readonly loss: number;
}

/** One run of a check. */
export function probe(
  world: World,
  service: SimService,
  check: CheckSpec,
  instance: SimInstance | undefined,
  { unknown, loss }: Senses,
  random: Random,
): CheckResult {
  const base = { target: instance?.uid ?? theService, check: check.name, at: world.now };
  if (world.isCheckerBlind || random.chance(unknown))
    return { ...base, outcome: 'unknown', errorKind: 'checker-files', latencyMs: 1 };
  const lost = errorOfWay(world, check, random);
  const own = instance
    ? errorOf(world, service, check, instance, random)
    : isDown(world, service)
      ? 'status'
      : undefined;
  const errorKind = lost ?? own ?? (service.edits % 2 === 1 ? 'status' : undefined);
  if (errorKind === 'connect-timeout') return { ...base, outcome: 'failing', errorKind, latencyMs: check.timeout };
  const connectMs = instance?.illness === 'loss' && random.chance(loss) ? 1003 : 0.3 + random.next() * 0.2;
  if (errorKind) return { ...base, outcome: 'failing', errorKind, latencyMs: check.timeout, connectMs };
  const slowness = instance?.illness === 'slow' || instance?.illness === 'saturated' ? 40 : 1;
  const latencyMs = connectMs + slowness * (8 + 4 * random.next());
  return { ...base, outcome: 'healthy', latencyMs, connectMs };
}

/** What was under way when the network was cut, or came back, may have been answered by half. */
const aroundChange = 5 * second;

function errorOfWay(world: World, { failAfter }: CheckSpec, random: Random): string | undefined {
  const { isCutOff, wayTornAt, now } = world;
  const isAround = now - wayTornAt < aroundChange;
  // A single failure proves nothing about the way: who acts upon one has asked for it.
  if (isAround && failAfter > 1 && random.chance(0.5)) return 'response-timeout';
  return isCutOff || (isAround && random.chance(0.5)) ? 'connect-timeout' : undefined;
}

/** Of the requests to one that is flaky. */
const flakyShare = 1 / 3;

function errorOf(
  world: World,
  service: SimService,
  check: CheckSpec,
  instance: SimInstance,
  random: Random,
): string | undefined {
  if (!runsOn(world, instance.node)) return 'connect-timeout';
  if (instance.illness === 'deaf') return 'connect-timeout';
  // The kernel opens connections for a process that hangs.
  if (instance.illness === 'hang') return check.kind === 'tcp' ? undefined : 'response-timeout';
  if (instance.illness === 'wrong' || (instance.illness === 'flaky' && random.chance(flakyShare))) return 'status';
  if (!answers(world, instance)) return 'refused';
  const needs = service.spec.dependsOn.flatMap((name) => world.services.get(name) ?? []);
  return needs.some((needed) => isDown(world, needed)) ? 'status' : undefined;
}

/** What the watches show of a service. */
export function watch(
  world: World,
  service: SimService,
  others: { dependencies: DependencyObservation[]; dependants: DependantObservation[] },
  answered: ReadonlyMap<string, Millis>,
  rest: Pick<Observation, 'at' | 'answers' | 'orders'>,
): Observation {
  const isRolling = service.instances.some((one) => isOutdated(service, one));
  return {
    ...rest,
    ...others,
    workload: {
      desired: service.desired,
      generation: service.generation,
      revision: service.revision,
      revisions: [...service.revisions],
      rollout: isRolling ? 'progressing' : 'settled',
      paused: false,
      ...(service.instances.length >= service.quota && { creationFailure: 'exceeded quota' }),
      ...(service.foreignWrite && { foreignWrite: service.foreignWrite }),
      ...(service.surge && !isRolling && { surge: service.surge }),
    },
    instances: service.instances.map((instance) => see(world, instance)),
    nodes: world.nodes.map((node) => seeNode(world, node, answered.get(node.name))),
  };
}

function seeNode({ now }: World, { name, state, since }: SimNode, answeredAt: Millis | undefined): NodeObservation {
  const answered = answeredAt === undefined ? {} : { answeredAt };
  if (state === 'gone') return { name, ready: 'unknown', since, gone: true, ...answered };
  const isMissed = state !== 'up' && now - since >= missedAfter;
  return isMissed
    ? { name, ready: 'unknown', since: since + missedAfter, gone: false, ...answered }
    : { name, ready: 'true', since, gone: false, ...answered };
}

function see(world: World, instance: SimInstance): InstanceObservation {
  const { name, uid, node, revision, createdAt, goneAt, ready, readySince } = instance;
  return {
    name,
    uid,
    node,
    revision,
    createdAt,
    ready,
    readySince,
    terminating: goneAt !== undefined,
    containers: [container(world, instance)],
    ...(instance.illness === 'saturated' && { usage: { at: world.now, metrics: { cpu: 0.99 } } }),
  };
}

function container(world: World, instance: SimInstance): ContainerObservation {
  const { illness, restarts, endedAt, startedAt } = instance;
  const base = { name: 'main', restarts, startedAt };
  if (illness === 'image') {
    return { name: 'main', restarts, state: 'waiting', waiting: imageWait(world, instance), isImageAtFault: true };
  }
  if (endedAt === undefined) return { ...base, state: 'running' };
  const ended = { at: endedAt, exitCode: 137, reason: illness === 'oom' ? 'OOMKilled' : 'Error' };
  const isLooping = (illness === 'crash-loop' || illness === 'oom') && restarts > 0;
  if (isLooping && world.now - endedAt < backoff(instance)) {
    return { ...base, state: 'waiting', waiting: 'CrashLoopBackOff', ended };
  }
  return { ...base, state: illness === undefined ? 'running' : 'terminated', ended };
}

function imageWait({ now }: World, { createdAt }: SimInstance): string {
  return now - createdAt < startTime ? 'ErrImagePull' : 'ImagePullBackOff';
}
