/**
 * A share of what `npm run bench -- etcd` does: clusters under the eyes of etcd's own validator, side by side, while something happens to
 * them. Which runs, their seeds say: `KURATOR_ETCD_SEEDS=3,12` does others.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Arena, openArena } from '../benchmarks/etcd/arena.ts';
import { scenarioOf, trial } from '../benchmarks/etcd/trial.ts';

/** A second member is lost while the first is replaced; the operator is killed again and again while it replaces the leader. */
const seeds = (process.env.KURATOR_ETCD_SEEDS ?? '6,8').split(',').map(Number);

let arena: Arena;

beforeAll(async () => {
  arena = await openArena('e2e-etcd-proof');
});

afterAll(async () => await arena?.[Symbol.asyncDispose]());

describe('an etcd cluster under the eyes of etcd’s own validator', () => {
  it.concurrent.each(seeds.map((seed) => ({ seed, scenario: scenarioOf(seed) })))(
    'keeps every promise: $scenario.words (seed $seed)',
    async ({ seed, scenario }) => {
      const { wrong, verdict } = await trial(arena, { seed, scenario });
      expect(wrong).toBeUndefined();
      expect(verdict).toMatchObject({ violation: '', lost: 0 });
      expect(verdict?.acknowledged).toBeGreaterThan(50);
    },
  );
});
