import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../observation.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { freshTempo, isOutOfStep, type Tempo, timed, windowOfAnswers } from './tempo.ts';

/** From a normal distribution. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** Seldom large, and then by any size: from 1, without end. */
function heavyTailed(random: Random, shape: number): number {
  return (1 - random.next()) ** (-1 / shape);
}

/** A service as there are many: how long its answers take, and what they suffer from together. */
interface Habits {
  readonly usual: readonly number[];
  /** By how much answers spread, as a standard deviation of their logarithm. */
  readonly spread: number;
  /** How often one is delayed by itself: a collection of garbage, a cold cache. */
  readonly strays: number;
  /** How often trouble of the machine, the network or the checker begins, for all of them. */
  readonly bursts: number;
}

function habits(random: Random): Habits {
  const usual = 10 ** (3 * random.next() - 0.3);
  const instances = 2 + random.below(4);
  return {
    usual: Array.from({ length: instances }, () => usual * (0.6 + 1.4 * random.next())),
    spread: 0.05 + 1.15 * random.next(),
    strays: 0.05 * random.next() ** 2,
    bursts: 0.01 * random.next(),
  };
}

/** What befalls all of them for a while: each answer is delayed with this probability, by about so much. */
interface Burst {
  readonly chance: number;
  readonly by: number;
  left: number;
}

/** Rounds of answers, one of each instance; `slow` says how many times slower one of them is. */
function rounds(random: Random, { usual, spread, strays, bursts }: Habits, slow: (uid: number) => number) {
  let burst: Burst | undefined;
  return () => {
    if (burst && --burst.left < 0) burst = undefined;
    if (!burst && random.chance(bursts)) {
      burst = { chance: random.next(), by: 20 * heavyTailed(random, 0.8), left: 1 + random.below(60) };
    }
    return usual.map((around, uid) => {
      const own = around * slow(uid) * Math.exp(spread * normal(random));
      const stray = random.chance(strays) ? around * 10 * heavyTailed(random, 1) : 0;
      const shared = burst && random.chance(burst.chance) ? burst.by * Math.exp(normal(random)) : 0;
      return own + stray + shared;
    });
  };
}

function answer(latencyMs: number, given: Partial<CheckResult> = {}): CheckResult {
  return { target: 'a', check: 'page', outcome: 'healthy', at: 1, latencyMs, ...given };
}

function others(tempi: readonly Tempo[], uid: number): Tempo[] {
  return tempi.filter((_, other) => other !== uid);
}

/** Everybody's tempo after so many rounds, and how often anybody was called slow meanwhile, by instance. */
function follow(next: () => number[], count: number, from?: readonly Tempo[]) {
  let tempi = from;
  const called = new Map<number, number>();
  for (let round = 0; round < count; round++) {
    const latencies = next();
    const before: readonly Tempo[] = tempi ?? latencies.map(() => freshTempo);
    tempi = latencies.map((latencyMs, uid) => timed(before[uid] ?? freshTempo, answer(latencyMs)));
    for (const [uid, mine] of tempi.entries()) {
      if (isOutOfStep(mine, others(tempi, uid)) && !called.has(uid)) called.set(uid, round + 1);
    }
  }
  return { tempi: tempi ?? [], called };
}

const healthy = () => 1;

describe('tempo', () => {
  it('calls nobody slow in 20,000 windows, quiet and noisy, of 200 services that are well', () => {
    const falsely = Array.from({ length: 200 }, (_, seed) => {
      const random = createRandom(seed);
      return follow(rounds(random, habits(random), healthy), 100 * windowOfAnswers).called.size;
    });
    expect(falsely.reduce((sum, one) => sum + one, 0)).toBe(0);
  });

  it('finds one that has become ten times slower, mostly within two windows, and nobody else', () => {
    const took: number[] = [];
    for (let seed = 0; seed < 200; seed++) {
      const random = createRandom(1_000 + seed);
      const usual = { ...habits(random), usual: [40, 50, 60], spread: 0.1 + 0.4 * random.next() };
      const before = follow(rounds(random, usual, healthy), 60).tempi;
      const isIll = (uid: number) => (uid === 1 ? 10 : 1);
      const { called } = follow(rounds(random, usual, isIll), 10 * windowOfAnswers, before);
      expect([...called.keys()].filter((uid) => uid !== 1)).toEqual([]);
      took.push(called.get(1) ?? Number.POSITIVE_INFINITY);
    }
    const within = (answers: number) => took.filter((one) => one <= answers).length / took.length;
    expect(within(2 * windowOfAnswers)).toBeGreaterThan(0.9);
    // Where everybody was in trouble while it was learned, what is usual is not known well.
    expect(within(10 * windowOfAnswers)).toBeGreaterThan(0.95);
  });

  it('finds two of five that have become slow', () => {
    const usual: Habits = { usual: [20, 20, 20, 20, 20], spread: 0.3, strays: 0.01, bursts: 0 };
    const random = createRandom(7);
    const before = follow(rounds(random, usual, healthy), 60).tempi;
    const areIll = (uid: number) => (uid < 2 ? 20 : 1);
    const { called } = follow(rounds(random, usual, areIll), 3 * windowOfAnswers, before);
    expect([...called.keys()].toSorted()).toEqual([0, 1]);
  });

  it('takes what all suffer from for nobody’s own', () => {
    const usual: Habits = { usual: [20, 30, 25], spread: 0.2, strays: 0, bursts: 0 };
    const random = createRandom(8);
    const before = follow(rounds(random, usual, healthy), 60).tempi;
    const { called, tempi } = follow(
      rounds(random, usual, () => 20),
      100,
      before,
    );
    expect(called.size).toBe(0);
    expect(tempi.map(({ slow }) => slow)).toEqual([100, 100, 100]);
  });

  it('can not tell by itself alone', () => {
    const usual: Habits = { usual: [20], spread: 0.2, strays: 0, bursts: 0 };
    const random = createRandom(9);
    const before = follow(rounds(random, usual, healthy), 60).tempi;
    expect(
      follow(
        rounds(random, usual, () => 20),
        100,
        before,
      ).called.size,
    ).toBe(0);
  });

  const learned = Array.from({ length: 40 }, () => answer(20)).reduce(timed, freshTempo);

  it('leaves out what may have been the checker’s own slowness', () => {
    expect(timed(learned, answer(60, { heldUpMs: 240 }))).toBe(learned);
    expect(timed(learned, answer(300, { heldUpMs: 500 })).slow).toBe(1);
    expect(timed(learned, answer(20, { heldUpMs: 10 })).recent.at(-1)).toBe(20);
  });

  it('counts one that did not answer in time as slow, and learns nothing from it', () => {
    const late = timed(learned, answer(2_000, { outcome: 'failing', errorKind: 'response-timeout' }));
    expect(late).toMatchObject({ slow: 1, baseline: learned.baseline });
    expect(timed(learned, answer(1, { outcome: 'failing', errorKind: 'refused' }))).toBe(learned);
  });
});
