/** Histories of a cluster, drawn by lot, and how they are played. For tests of the model. */
import fc from 'fast-check';
import type { Cut, Trouble } from '../src/brain/simulated-machine.ts';
import { Simulation } from '../src/brain/simulation.ts';
import type { Situation } from '../src/brain/situation.ts';
import type { Step } from '../src/brain/step.ts';

export type Decider = (situation: Situation) => Step;

/** One pass of the operator, with what happens between its look and its step; or something that happens between two of them. */
export type Turn =
  | { readonly pass: Cut; readonly meanwhile: Trouble | undefined }
  | Trouble
  | { readonly event: 'tick' };

export const which = fc.nat({ max: 8 });
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.record({
    event: fc.constantFrom('pod-deleted', 'pod-failed', 'pod-hangs', 'node-lost', 'node-gone', 'claim-lost'),
    which,
  }) as fc.Arbitrary<Trouble>,
  fc.record({ event: fc.constant('leader-elected' as const), which }),
  fc.record({ event: fc.constant('scaled' as const), size: fc.integer({ min: 1, max: 7 }) }),
  fc.record({
    event: fc.constantFrom('template-changed', 'status-lost', 'nodes-back', 'may-recover'),
  }) as fc.Arbitrary<Trouble>,
  fc.record({ event: fc.constant('time-passes' as const), ms: fc.integer({ min: 1_000, max: 90_000 }) }),
);
export const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      pass: fc.constantFrom<Cut>('none', 'none', 'none', 'before', 'after'),
      meanwhile: fc.option(trouble, { nil: undefined, freq: 12 }),
    }),
  },
  { weight: 8, arbitrary: fc.constant({ event: 'tick' } as const) },
  { weight: 3, arbitrary: trouble },
);
export const history = fc.record({
  size: fc.integer({ min: 1, max: 5 }),
  turns: fc.array(turn, { maxLength: 300, size: 'max' }),
});

export function play(decider: Decider, { size, turns }: { size: number; turns: readonly Turn[] }): Simulation {
  const simulation = new Simulation(size);
  for (const turn of turns) {
    if ('pass' in turn) pass(simulation, decider, turn.pass, turn.meanwhile);
    else if (turn.event === 'tick') simulation.tick();
    else simulation.happens(turn);
    if (simulation.violations.length > 0) break;
  }
  return simulation;
}

export function pass(simulation: Simulation, decider: Decider, cut: Cut, meanwhile?: Trouble): Step {
  const seen = simulation.look();
  const step = decider(seen);
  if (meanwhile) simulation.happens(meanwhile);
  simulation.act(step, seen, cut);
  return step;
}

/** Nothing happens any more, and nodes that can come back do. Gives what was done. */
export function settle(simulation: Simulation, decider: Decider): Step[] {
  return Array.from({ length: 400 }, () => {
    simulation.happens({ event: 'nodes-back' });
    simulation.tick();
    simulation.tick();
    return pass(simulation, decider, 'none');
  });
}
