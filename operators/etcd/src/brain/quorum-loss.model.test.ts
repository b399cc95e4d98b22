import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decider, pass, play, settle, type Turn, turn, which } from '../../test/histories.ts';
import { decide } from './decide.ts';
import type { Cut, Trouble } from './simulated-machine.ts';
import type { Simulation } from './simulation.ts';
import type { Situation } from './situation.ts';

const cut = fc.constantFrom<Cut>('none', 'none', 'none', 'before', 'after');
const quiet = fc.oneof(
  { weight: 3, arbitrary: fc.record({ pass: cut, meanwhile: fc.constant(undefined) }) },
  { weight: 2, arbitrary: fc.constant({ event: 'tick' } as const) },
);
/** What a survivor may go through as well: it keeps its data. */
const ofPods: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 8, arbitrary: quiet },
  fc.record({ event: fc.constantFrom('pod-deleted', 'pod-failed'), which }) as fc.Arbitrary<Trouble>,
);
const gone: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ event: fc.constantFrom('claim-lost', 'claim-lost', 'node-gone'), which }) as fc.Arbitrary<Trouble>,
  fc.record({ event: fc.constantFrom('pod-hangs', 'pod-deleted'), which }) as fc.Arbitrary<Trouble>,
  fc.constant({ event: 'tick' } as const),
);
const up = Array.from(
  { length: 60 },
  () => [{ pass: 'none', meanwhile: undefined }, { event: 'tick' }] as const,
).flat();
const silence = { event: 'time-passes', ms: 90_000 } as const;

/** A cluster that works, loses much of its data, and whatever else comes. */
const loss = fc
  .record({
    size: fc.integer({ min: 2, max: 5 }),
    before: fc.array(turn, { maxLength: 20 }),
    losses: fc.array(gone, { minLength: 2, maxLength: 8 }),
    after: fc.array(turn, { maxLength: 60, size: 'max' }),
  })
  .map(({ size, before, losses, after }) => ({
    size,
    turns: [...up, { event: 'may-recover' } as const, ...before, ...losses, silence, ...after],
  }));

const RUNS = Number(process.env.KURATOR_ETCD_HISTORIES ?? 1_000);
const PATIENCE = 30_000 + RUNS * 30;

describe('a cluster that loses the data of a majority', { timeout: PATIENCE }, () => {
  it('breaks no rule, and loses nothing that a survivor has', () => {
    fc.assert(
      fc.property(loss, (told) => {
        expect(play(decide, told).violations).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('goes on from who is left, whenever the operator is killed, and comes to be as wanted', () => {
    const lost = fc.record({
      size: fc.constantFrom(3, 5),
      survivors: fc.nat({ max: 1 }),
      losses: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      how: fc.array(fc.constantFrom('claim-lost', 'node-gone'), { minLength: 5, maxLength: 5 }) as fc.Arbitrary<
        ('claim-lost' | 'node-gone')[]
      >,
      after: fc.array(ofPods, { maxLength: 80, size: 'max' }),
    });
    fc.assert(
      fc.property(lost, ({ size, survivors, losses, how, after }) => {
        const simulation = play(decide, { size, turns: [...up, { event: 'may-recover' }] });
        expect(simulation.voters()).toHaveLength(size);
        const going = size - Math.min(1 + survivors, size === 3 ? 1 : 2);
        for (const which of losses.filter((which) => which < size).slice(0, going)) {
          simulation.happens({ event: how[which] ?? 'claim-lost', which });
        }
        expect(simulation.canRecover()).toBe(false);
        simulation.happens(silence);
        for (const turn of after) go(simulation, turn);
        expect(settle(simulation, decide).at(-1)).toEqual({ do: 'nothing', why: 'as wanted' });
        expect(simulation.violations).toEqual([]);
        expect(simulation.voters()).toHaveLength(size);
        expect(simulation.claims().toSorted()).toEqual(simulation.voters().toSorted());
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });

  function go(simulation: Simulation, turn: Turn): void {
    if ('pass' in turn) pass(simulation, decide, turn.pass, turn.meanwhile);
    else if (turn.event === 'tick') simulation.tick();
    else simulation.happens(turn);
  }
});

describe('an operator that recovers wrongly', { timeout: PATIENCE }, () => {
  const mutants: Readonly<Record<string, Decider>> = {
    'goes on from the one that knows least': (situation) => {
      const turned = [...situation.positions].map(([name, { revision, index }]) => {
        return [name, { revision: -revision, index: -index }] as const;
      });
      return decide({ ...situation, positions: new Map(turned) });
    },
    'takes who is only missed for gone': (situation) => decide({ ...situation, objects: missedIsGone(situation) }),
    'does not wait for every survivor to say how far it goes': (situation) => {
      const silent = situation.members.map(({ name }) => [name, { revision: -1, index: -1 }] as const);
      return decide({ ...situation, positions: new Map([...silent, ...situation.positions]) });
    },
    'believes what was made of a lost status': (situation) =>
      decide({ ...situation, members: situation.members.map(({ unconfirmed, ...rest }) => rest) }),
    'recovers where nobody asked for it': (situation) => decide({ ...situation, recovers: true }),
    'does not write its choice down': (situation) => {
      const step = decide(situation);
      return step.do === 'recover' && step.recovery.stage === 'Forcing'
        ? { do: 'start', name: step.recovery.survivor, begin: false, force: true, why: step.why }
        : step;
    },
    'lets others join before the survivor runs as they do': (situation) => {
      const recovery = situation.recovery && ({ ...situation.recovery, stage: 'Done' } as const);
      const objects = new Map(
        [...situation.objects].map(([name, own]) => [name, { ...own, forced: false, upToDate: true }]),
      );
      return situation.listing ? decide({ ...situation, recovery, objects }) : decide(situation);
    },
    'deletes what a survivor had': (situation) => {
      const step = decide(situation);
      return step.do === 'discard' ? { ...step, keep: false } : step;
    },
  };
  const missedIsGone = ({ objects, healthy }: Situation) =>
    new Map(
      [...objects].map(([name, own]) => [
        name,
        { ...own, gone: own.gone || (!healthy.has(name) && own.pod !== 'running') },
      ]),
    );

  it.each(Object.entries(mutants))('is caught: it %s', (name, mutant) => {
    const asked = fc.check(
      fc.property(loss, fc.boolean(), ({ size, turns }, isAsked) => {
        const told = turns.filter((turn) => isAsked || !('event' in turn) || turn.event !== 'may-recover');
        return play(mutant, { size, turns: told }).violations.length === 0;
      }),
      { numRuns: Math.max(20_000, RUNS), endOnFailure: true },
    );
    expect(asked.failed, name).toBe(true);
  });
});
