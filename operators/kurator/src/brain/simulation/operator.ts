/**
 * A simulated operator around the real brain: it runs checks when the brain wants them, writes down before it acts, acts
 * with delays and failures, and can die at any point. What it holds in memory is then lost; what it wrote is read again
 * from JSON.
 */
import type { Notification } from '../alerts/notification.ts';
import { type ServiceSummary, summarise } from '../cluster/summary.ts';
import { type ClusterHistory, type Survey, survey, viewFor, withOneMore } from '../cluster/survey.ts';
import { dependantsOf } from '../dependencies/graph.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { freshHistory, type History } from '../incident/history.ts';
import type { Action, ActionOutcome, Notice } from '../incident/incident.ts';
import {
  type Answer,
  type CheckResult,
  type Observation,
  type Orders,
  theService,
  wasAnswered,
} from '../observation.ts';
import { paceOf } from '../pace.ts';
import { nextCheck } from '../perception/next-check.ts';
import { freshPerception, type Perception, perceive, wantedBy } from '../perception/perception.ts';
import { type Obstacle, withdraw } from '../recovery/withdraw.ts';
import type { CheckSpec, ClusterSpec } from '../spec.ts';
import { type Thought, type ThoughtInput, think } from '../think.ts';
import { type Millis, second } from '../time.ts';
import { carryOut } from './hands.ts';
import type { Random } from './random.ts';
import type { Referee, Written } from './referee.ts';
import { probe, type Senses, watch } from './senses.ts';
import type { SimService, World } from './world.ts';

/** What the API server keeps. */
export interface Records {
  readonly histories: Map<string, History>;
  readonly notifications: Notification[];
  readonly notices: Notice[];
  readonly answers: Map<string, Answer[]>;
  readonly orders: Map<string, Orders>;
  /** Which workload each was last seen to be about. */
  readonly targets: Map<string, number>;
  cluster: ClusterHistory;
  isUp: boolean;
}

/** How much goes wrong with the operator itself. */
export interface Chaos extends Senses {
  /** The share of actions that fail, and the longest time that one takes. */
  readonly failing: number;
  readonly delay: Millis;
  /** The share of writes that fail. */
  readonly conflicts: number;
  /** The share of thoughts after which it dies: before writing, after writing, or after acting. */
  readonly deaths: number;
}

/** Where an operator can die: with nothing written, with nothing done, and with nothing said about what was done. */
export const deathPoints = ['before writing', 'after writing', 'after acting'] as const;

/** Where an operator can die. */
export type DeathPoint = (typeof deathPoints)[number];

/** What the simulated operator is made of. */
export interface OperatorOptions {
  readonly world: World;
  readonly cluster: ClusterSpec;
  readonly chaos: Chaos;
  readonly random: Random;
  readonly referee: Referee;
  /** The brain; another one than ours shows that the referee sees what it does wrong. */
  readonly brain?: (input: ThoughtInput) => Thought;
  /** What it does about a service that can't be looked after; the brain's own unless given. */
  readonly withdraw?: typeof withdraw;
  /** Whether it dies here and now; by chance unless given. */
  readonly dies?: (point: DeathPoint) => boolean;
}

interface Memory {
  /** As the others know each service: what was last thought of it. */
  readonly summaries: Map<string, ServiceSummary>;
  /** When the deleted ones were last forgotten. */
  forgottenAt: Millis;
  readonly perceptions: Map<string, Perception>;
  readonly evidence: Map<string, Evidence>;
  readonly observations: Map<string, Observation>;
  /** When each check was first known, and last begun; by service, target and name. */
  readonly runs: Map<string, { knownSince: Millis; lastAt?: Millis }>;
  /** When the newest check was begun that was answered, by node. */
  readonly answered: Map<string, Millis>;
  readonly underWay: Map<string, { service: SimService; action: Action; at: Millis }>;
  readonly outcomes: Map<string, ActionOutcome[]>;
}

/** A simulated operator. */
export interface Operator {
  readonly records: Records;
  /** One round at the world's present time. */
  round(): void;
  /** Dies, and begins again with nothing but what was written. */
  die(): void;
  /** Thoughts so far. */
  readonly thoughts: number;
}

/** As the real one: what is deleted is found out by looking. */
const forgetEvery = 30 * second;
const noOrders: Orders = { approved: [], resumed: [] };

/** Starts a simulated operator. */
export function createOperator(options: OperatorOptions): Operator {
  const {
    world,
    chaos,
    random,
    referee,
    brain = think,
    withdraw: leave = withdraw,
    dies = () => random.chance(chaos.deaths),
  } = options;
  const dependencies = new Map([...world.services].map(([name, { spec }]) => [name, spec.dependsOn]));
  const dependants = dependantsOf(dependencies);
  const records: Records = {
    histories: new Map([...world.services.keys()].map((name) => [name, freshHistory(world.now)])),
    notifications: [],
    notices: [],
    answers: new Map(),
    orders: new Map(),
    targets: new Map(),
    cluster: {},
    isUp: true,
  };
  let memory = emptyMemory();
  let thoughts = 0;

  function die(): void {
    memory = emptyMemory();
    for (const [name, history] of records.histories) records.histories.set(name, structuredCloneOf(history));
  }

  function round(): void {
    finishActions();
    recall();
    let surveyed = survey(options.cluster, [...memory.summaries.values()], records.cluster, world.now);
    records.cluster = surveyed.history;
    referee.surveyed(world, surveyed.view.active, records);
    for (const [name, service] of world.services) {
      const result = service.isDescribed ? attend(name, service, surveyed) : 'nobody';
      if (result === 'dead') {
        die();
        return;
      }
      if (result === 'began') surveyed = withOneMore(surveyed, name, world.now);
    }
  }

  /** Learns what is written of all services, and forgets from time to time those that are gone. */
  function recall(): void {
    for (const [name, history] of records.histories) {
      if (!memory.summaries.has(name)) memory.summaries.set(name, summarise(name, history, undefined));
    }
    if (world.now - memory.forgottenAt < forgetEvery) return;
    memory.forgottenAt = world.now;
    for (const name of memory.summaries.keys()) if (!records.histories.has(name)) memory.summaries.delete(name);
  }

  function attend(name: string, service: SimService, cluster: Survey) {
    const obstacle = records.isUp ? obstacleTo(name, service) : undefined;
    if (obstacle) return standAside(name, service, obstacle);
    return service.isThere || memory.observations.has(name) ? consider(name, service, cluster) : 'nobody';
  }

  function obstacleTo(name: string, { isThere, isUnderstood, target }: SimService): Obstacle | undefined {
    const known = records.targets.get(name) ?? target;
    if (!isThere) return { reason: 'its workload is gone', isGone: true };
    if (known !== target && records.histories.get(name)?.incident) {
      return { reason: 'it is about another workload now', isGone: true };
    }
    records.targets.set(name, target);
    return isUnderstood ? undefined : { reason: 'its spec can not be followed', isGone: false };
  }

  function standAside(name: string, service: SimService, obstacle: Obstacle) {
    const history = records.histories.get(name) ?? freshHistory(world.now);
    const ended = leave(service.spec, history, obstacle, world.now);
    if (dies('before writing')) return 'dead';
    if (!write(service, history, { ...ended, beginsRepair: false })) return 'forgotten';
    memory.observations.delete(name);
    memory.evidence.delete(name);
    memory.summaries.set(name, summarise(name, ended.history, undefined));
    // What it is about from now on is looked at with the next round.
    records.targets.set(name, service.target);
    return 'done';
  }

  function consider(name: string, service: SimService, cluster: Survey) {
    const { summaries } = memory;
    const history = records.histories.get(name) ?? freshHistory(world.now);
    const seen = look(name, service, summaries);
    const results = runChecks(name, service, seen, history);
    referee.heard(world, service, results);
    const news = { results, samples: [], instances: seen.instances, wanted: wantedBy(seen) };
    const perception = perceive(service.spec, memory.perceptions.get(name) ?? freshPerception, news);
    memory.perceptions.set(name, perception);
    const outcomes = memory.outcomes.get(name) ?? [];
    const spec = { ...service.spec, mode: world.mode };
    const view = viewFor(cluster, name);
    const thought = brain({ spec, seen, perception, history, cluster: view, outcomes, now: world.now });
    thoughts++;
    memory.evidence.set(name, thought.evidence);
    summaries.set(name, summarise(name, thought.history, thought.evidence));
    if (dies('before writing')) return 'dead';
    if (!write(service, history, thought)) {
      summaries.set(name, summarise(name, history, thought.evidence));
      return 'forgotten';
    }
    if (dies('after writing')) return 'dead';
    memory.outcomes.delete(name);
    for (const action of thought.actions) begin(service, action);
    return thought.beginsRepair ? 'began' : 'done';
  }

  function look(name: string, service: SimService, summaries: Map<string, ServiceSummary>): Observation {
    const before = memory.observations.get(name);
    if (!records.isUp && before) return before;
    const needs = service.spec.dependsOn.flatMap((one) => summaries.get(one)?.asDependency ?? []);
    const needed = (dependants.get(name) ?? []).map((one) => ({ name: one, answers: records.answers.has(one) }));
    const seen = watch(world, service, { dependencies: needs, dependants: needed }, memory.answered, {
      at: world.now,
      answers: records.answers.get(name) ?? [],
      orders: records.orders.get(name) ?? noOrders,
    });
    memory.observations.set(name, seen);
    return seen;
  }

  function runChecks(name: string, service: SimService, seen: Observation, history: History): CheckResult[] {
    const { spec, instances } = service;
    const all = spec.checks.flatMap((check) =>
      (check.through === 'service' ? [undefined] : instances).map((instance) => ({ check, instance })),
    );
    return all
      .filter(({ check, instance }) => isDue(name, service, check, instance?.uid ?? theService, seen, history))
      .map(({ check, instance }) => {
        const result = probe(world, service, check, instance, chaos, random);
        if (instance && wasAnswered(result)) memory.answered.set(instance.node, result.at - result.latencyMs);
        return result;
      });
  }

  function isDue(
    name: string,
    { spec }: SimService,
    check: CheckSpec,
    target: string,
    seen: Observation,
    history: History,
  ): boolean {
    const key = `${name}/${target}/${check.name}`;
    const known = memory.runs.get(key) ?? { knownSince: world.now };
    const perception = memory.perceptions.get(name) ?? freshPerception;
    const evidence = memory.evidence.get(name);
    const pace = paceOf({ spec, check, target, seen, perception, history, evidence, ...known });
    const due = nextCheck(check, pace, world.now).at <= world.now;
    memory.runs.set(key, due ? { ...known, lastAt: world.now } : known);
    return due;
  }

  /** Everything of one thought is written at once, or nothing is. */
  function write(service: SimService, before: History, thought: Written): boolean {
    if (thought.history === before) return records.isUp;
    if (!records.isUp || random.chance(chaos.conflicts)) return false;
    records.histories.set(service.spec.name, thought.history);
    records.notifications.push(...thought.notifications);
    records.notices.push(...thought.notices);
    referee.wrote(world, service, before, thought);
    return true;
  }

  function begin(service: SimService, action: Action): void {
    if (memory.underWay.has(action.id)) return;
    referee.begins(world, action);
    memory.underWay.set(action.id, { service, action, at: world.now + random.next() * chaos.delay });
  }

  function finishActions(): void {
    for (const [id, { service, action, at }] of memory.underWay) {
      if (world.now < at || !records.isUp) continue;
      memory.underWay.delete(id);
      const outcome = carryOut(world, service, action, records.histories.get(service.spec.name), {
        fails: random.chance(chaos.failing),
        referee,
      });
      // Dead between the deed and the word about it: the successor finds out by the action's id.
      if (dies('after acting')) {
        die();
        return;
      }
      if (outcome) memory.outcomes.set(service.spec.name, [...(memory.outcomes.get(service.spec.name) ?? []), outcome]);
    }
  }

  return {
    records,
    round,
    die,
    get thoughts() {
      return thoughts;
    },
  };
}

function emptyMemory(): Memory {
  return {
    summaries: new Map(),
    forgottenAt: Number.NEGATIVE_INFINITY,
    perceptions: new Map(),
    evidence: new Map(),
    observations: new Map(),
    runs: new Map(),
    answered: new Map(),
    underWay: new Map(),
    outcomes: new Map(),
  };
}

/** Through JSON, as it will be. */
function structuredCloneOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
