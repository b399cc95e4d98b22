import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type Step } from './decide.ts';
import { type Cut, Simulation, type Trouble } from './simulation.ts';
import type { Situation } from './situation.ts';

type Decider = (situation: Situation) => Step;

/** One pass of the operator, with what happens between its look and its step; or something that happens between two of them. */
type Turn = { readonly pass: Cut; readonly meanwhile: Trouble | undefined } | Trouble | { readonly event: 'tick' };

const which = fc.nat({ max: 8 });
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.record({
    event: fc.constantFrom('pod-deleted', 'pod-failed', 'pod-hangs', 'node-lost', 'claim-lost'),
    which,
  }) as fc.Arbitrary<Trouble>,
  fc.record({ event: fc.constant('leader-elected' as const), which }),
  fc.record({ event: fc.constant('scaled' as const), size: fc.integer({ min: 1, max: 7 }) }),
  fc.record({ event: fc.constantFrom('template-changed' as const, 'status-lost' as const, 'nodes-back' as const) }),
  fc.record({ event: fc.constant('time-passes' as const), ms: fc.integer({ min: 1_000, max: 90_000 }) }),
);
const turn: fc.Arbitrary<Turn> = fc.oneof(
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
const history = fc.record({
  size: fc.integer({ min: 1, max: 5 }),
  turns: fc.array(turn, { maxLength: 300, size: 'max' }),
});

function play(decider: Decider, { size, turns }: { size: number; turns: readonly Turn[] }): Simulation {
  const simulation = new Simulation(size);
  for (const turn of turns) {
    if ('pass' in turn) pass(simulation, decider, turn.pass, turn.meanwhile);
    else if (turn.event === 'tick') simulation.tick();
    else simulation.happens(turn);
    if (simulation.violations.length > 0) break;
  }
  return simulation;
}

function pass(simulation: Simulation, decider: Decider, cut: Cut, meanwhile?: Trouble): Step {
  const seen = simulation.look();
  const step = decider(seen);
  if (meanwhile) simulation.happens(meanwhile);
  simulation.act(step, seen, cut);
  return step;
}

/** `KURATOR_ETCD_HISTORIES=100000` plays more of them, which takes minutes. */
const RUNS = Number(process.env.KURATOR_ETCD_HISTORIES ?? 1_000);
const PATIENCE = 30_000 + RUNS * 30;

describe('whatever happens to a cluster', { timeout: PATIENCE }, () => {
  it('no step breaks a rule, and nothing that was promised to a client is lost', () => {
    fc.assert(
      fc.property(history, (told) => {
        expect(play(decide, told).violations).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('it comes to be as wanted once nothing happens any more, unless the data of a majority is gone', () => {
    fc.assert(
      fc.property(history, (told) => {
        const simulation = play(decide, told);
        fc.pre(simulation.canRecover());
        const steps: Step[] = [];
        for (let i = 0; i < 400; i += 1) {
          simulation.happens({ event: 'nodes-back' });
          simulation.tick();
          simulation.tick();
          steps.push(pass(simulation, decide, 'none'));
        }
        expect(simulation.violations).toEqual([]);
        expect(steps.at(-1)).toEqual({ do: 'nothing', why: 'as wanted' });
        expect(simulation.voters()).toHaveLength(simulation.size);
        expect(simulation.claims().toSorted()).toEqual(simulation.voters().toSorted());
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });
});

describe('an operator that is wrong', { timeout: PATIENCE }, () => {
  const everybody = ({ members }: Situation) => new Set(members.map(({ name }) => name));
  const whole = ({ objects }: Situation) => new Map([...objects].map(([name, own]) => [name, { ...own, claim: true }]));
  const mutants: Readonly<Record<string, Decider>> = {
    'ignores who gives no answer': (situation) => decide({ ...situation, healthy: everybody(situation) }),
    'adds before it removes': (situation) => {
      const isJoining = situation.members.some(({ state }) => state === 'Joining');
      if (isJoining) return decide({ ...situation, healthy: everybody(situation) });
      const step = decide(situation);
      const isLost = step.do === 'plan' && step.member.state === 'Leaving';
      return isLost ? { ...step, member: { name: situation.freshName, state: 'Joining' } } : step;
    },
    'begins anew when nobody answers': (situation) =>
      decide({ ...situation, formed: situation.formed && situation.listing !== undefined }),
    'gives a member that lost its volume an empty one': (situation) =>
      decide({ ...situation, objects: whole(situation) }),
    'deletes data before its member is off the list': (situation) => {
      const step = decide(situation);
      return step.do === 'remove' ? { do: 'discard', name: step.name, why: step.why } : step;
    },
    'restarts the next one while another is away': (situation) => {
      const step = decide({ ...situation, healthy: everybody(situation) });
      return step.do === 'stop' ? step : decide(situation);
    },
  };

  it.each(Object.entries(mutants))('is caught: it %s', (_, mutant) => {
    const outcome = fc.check(
      fc.property(history, (told) => play(mutant, told).violations.length === 0),
      // The rarest is found in one history of some six hundred: so many that it can't be missed by chance.
      { numRuns: Math.max(20_000, RUNS), endOnFailure: true },
    );
    expect(outcome.failed).toBe(true);
  });
});
