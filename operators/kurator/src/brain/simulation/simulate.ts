/** Runs a scenario: a cluster, what happens to it, and an operator with a brain. The same scenario gives the same run. */
import { orderOf } from '../dependencies/graph.ts';
import type { Surge } from '../observation.ts';
import type { withdraw } from '../recovery/withdraw.ts';
import type { ClusterSpec, ServiceSpec } from '../spec.ts';
import { type Thought, type ThoughtInput, think } from '../think.ts';
import { type Millis, second } from '../time.ts';
import { type EventName, happen, type Stage } from './events.ts';
import { type Chaos, createOperator, type DeathPoint, type Operator } from './operator.ts';
import { createRandom } from './random.ts';
import { createReferee, type Referee } from './referee.ts';
import { createWorld, pass, type World } from './world.ts';

/** Something that happens at a time, to a service. */
export interface SimEvent {
  /** After the beginning. */
  readonly at: Millis;
  readonly name: EventName;
  /** Which service, by its place; wraps around. */
  readonly service: number;
  readonly arg: number;
}

/** All that a run follows from. */
export interface Scenario {
  readonly specs: readonly ServiceSpec[];
  readonly replicas: number;
  readonly nodes: number;
  /** How those that are not stateful make new instances before the old ones go; they don't unless given. */
  readonly surge?: Surge;
  readonly cluster: ClusterSpec;
  readonly chaos: Chaos;
  readonly seed: number;
  readonly events: readonly SimEvent[];
  readonly length: Millis;
  /** The time between two rounds. */
  readonly tick: Millis;
  readonly brain?: (input: ThoughtInput) => Thought;
  readonly withdraw?: typeof withdraw;
  /** Whether the operator dies here and now; by chance unless given. */
  readonly dies?: (point: DeathPoint, now: Millis) => boolean;
  /** Called after each round. */
  readonly after?: (run: Run) => void;
}

/** What is left after a run. */
export interface Run {
  readonly world: World;
  readonly operator: Operator;
  readonly referee: Referee;
}

/** No trouble with the operator itself. */
export const calm: Chaos = { unknown: 0, loss: 0.2, failing: 0, delay: 0, conflicts: 0, deaths: 0 };

/** When simulated time begins. */
export const beginning: Millis = 1_800_000_000 * second;

/** Runs a scenario to its end. */
export function simulate(scenario: Scenario): Run {
  const random = createRandom(scenario.seed);
  const world = createWorld(inOrder(scenario.specs), scenario.replicas, scenario.nodes, beginning, scenario.surge);
  const referee = createReferee(scenario.cluster);
  const { cluster, chaos, brain, withdraw, dies } = scenario;
  const operator = createOperator({
    world,
    cluster,
    chaos,
    random,
    referee,
    ...(brain && { brain }),
    ...(withdraw && { withdraw }),
    ...(dies && { dies: (point) => dies(point, world.now) }),
  });
  const stage: Stage = { world, operator, referee, random };
  const run = { world, operator, referee };
  const events = scenario.events.toSorted((a, b) => a.at - b.at);
  let next = 0;
  for (let time = 0; time <= scenario.length; time += scenario.tick) {
    pass(world, beginning + time);
    for (let event = events[next]; event && event.at <= time; event = events[++next]) befall(stage, event);
    operator.round();
    scenario.after?.(run);
  }
  return run;
}

/** What the brain was given in the last round of a scenario: material to measure it with. */
export function lastRound(scenario: Scenario): ThoughtInput[] {
  const { brain = think } = scenario;
  let inputs: ThoughtInput[] = [];
  simulate({
    ...scenario,
    brain: (input) => {
      inputs = inputs[0]?.now === input.now ? inputs : [];
      inputs.push(input);
      return brain(input);
    },
  });
  return inputs;
}

function befall(stage: Stage, { name, service, arg }: SimEvent): void {
  const services = [...stage.world.services.values()];
  const chosen = services[service % services.length];
  if (chosen) happen(stage, chosen, name, arg);
}

/** Causes before their dependants, as a real operator thinks of them. */
function inOrder(specs: readonly ServiceSpec[]): ServiceSpec[] {
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const { order = [] } = orderOf(new Map(specs.map(({ name, dependsOn }) => [name, dependsOn])));
  return order.flatMap((name) => byName.get(name) ?? []);
}
