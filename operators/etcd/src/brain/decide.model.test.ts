import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decider, history, play, settle } from '../../test/histories.ts';
import { decide } from './decide.ts';
import { Simulation } from './simulation.ts';
import type { Situation } from './situation.ts';

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
        const steps = settle(simulation, decide);
        expect(simulation.violations).toEqual([]);
        expect(steps.at(-1)).toEqual({ do: 'nothing', why: 'as wanted' });
        expect(simulation.voters()).toHaveLength(simulation.size);
        expect(simulation.claims().toSorted()).toEqual(simulation.voters().toSorted());
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });
});

it('replaces a member whose node is gone for good while it is restarted', () => {
  const simulation = new Simulation(3);
  settle(simulation, decide);
  simulation.happens({ event: 'template-changed' });
  while (!simulation.look().members.some(({ state }) => state === 'Restarting')) {
    const seen = simulation.look();
    simulation.act(decide(seen), seen, 'none');
  }
  const names = simulation.look().members.map(({ name }) => name);
  const restarting = simulation.look().members.findIndex(({ state }) => state === 'Restarting');
  simulation.happens({ event: 'node-gone', which: restarting });
  expect(settle(simulation, decide).at(-1)).toEqual({ do: 'nothing', why: 'as wanted' });
  expect(simulation.voters()).not.toContain(names[restarting]);
  expect(simulation.violations).toEqual([]);
});

describe('an operator that is wrong', { timeout: PATIENCE }, () => {
  const everybody = ({ members }: Situation) => new Set(members.map(({ name }) => name));
  const whole = ({ objects }: Situation) =>
    new Map([...objects].map(([name, own]) => [name, { ...own, claim: true, gone: false }]));
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
