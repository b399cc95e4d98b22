import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECISIONS } from '../../test/fence/decisions.ts';
import { explore } from '../../test/fence/explore.ts';
import { STEPS } from '../../test/fence/history.ts';
import { mutants } from '../../test/fence/mutants.ts';
import { history, play, recovers } from '../../test/fence/random.ts';
import { asksTheFrozen, asksWhoForgets, changesTheSet } from '../../test/fence/stories.ts';

/** `KURATOR_DATABASE_HISTORIES=1000000` plays more of them, which takes long; `KURATOR_DATABASE_SEED` plays others. */
const RUNS = Number(process.env.KURATOR_DATABASE_HISTORIES ?? 800);
const seed = process.env.KURATOR_DATABASE_SEED === undefined ? {} : { seed: Number(process.env.KURATOR_DATABASE_SEED) };
const PATIENCE = 120_000 + RUNS * 30;

describe('whatever happens to a cluster', { timeout: PATIENCE }, () => {
  it('nothing that a client was shown is lost, and nobody is shown what is over while clocks are honest', () => {
    fc.assert(
      fc.property(history, (told) => {
        expect(play(told).violations).toEqual([]);
      }),
      { numRuns: RUNS, ...seed },
    );
  });

  it('it serves again once nothing happens any more, unless the data of somebody is gone', () => {
    fc.assert(
      fc.property(history, (told) => {
        const world = play(told);
        fc.pre(!world.hasLost);
        expect(recovers(world)).toBe(true);
        expect(world.violations).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 5), ...seed },
    );
  });
});

describe('a fence with a hole is caught', { timeout: PATIENCE }, () => {
  // The second is the seed of a history that finds it. Should the model have changed since, others are looked for.
  it.each([
    ['does not wait for the lease', 99],
    ['chooses before it has fenced', 139],
    ['trusts a time that another clock has written', 99],
    ['promotes without a quorum of freezes', 61],
    ['answers before its receiver is gone', 11],
    ['goes by fewer acknowledgements before that is written', 11],
    ['writes the new set over the old one', 151],
    ['freezes while what it has granted lives', 1274],
    ['serves clients before anything was acknowledged to it', 291],
    ['serves clients before the record says so', 212],
    ['takes the highest timeline', 1773],
    ['lets standbys of another epoch receive', 1469],
    ['releases the lease while postgres runs', 25],
  ] as const)('it %s', (name, found) => {
    const outcome = fc.check(
      fc.property(history, (told) => play(told, mutants[name]).violations.length === 0),
      { numRuns: 20_000, endOnFailure: true, examples: [[{ seed: found, turns: 60 }]] },
    );
    expect(outcome.failed).toBe(true);
  });

  it.each([
    ['grants while it is frozen', asksTheFrozen],
    ['forgets what it has granted when it starts', asksWhoForgets],
    ['takes a new set for safe before a write was acknowledged by it', changesTheSet],
  ] as const)('it %s, in a history that is told', (name, story) => {
    expect(story(DECISIONS).violations).toEqual([]);
    expect(story(mutants[name]).violations).not.toEqual([]);
  });
});

describe('every order of what may happen', { timeout: PATIENCE }, () => {
  const two = { names: ['a', 'b'], times: STEPS, durability: 'preferred', synchronous: 1 } as const;

  it('of a failover between two instances loses nothing', () => {
    const { violations, isWhole, states, epochs } = explore(two, { ticks: 3, writes: 0, faults: 0, lies: 0 });
    expect(violations).toEqual([]);
    expect(isWhole).toBe(true);
    // Else it has looked at nothing: a failover is among them.
    expect(epochs).toBeGreaterThan(1);
    expect(states).toBeGreaterThan(20_000);
  });

  it('finds a fence with a hole', () => {
    const budget = { ticks: 1, writes: 0, faults: 0, lies: 0 };
    expect(explore(two, budget, mutants['does not wait for the lease']).violations).not.toEqual([]);
  });
});
