/** Random lives of a registry and of a cluster: pushes good and bad, moved tags, broken lists, people who meddle, an operator that dies. */
import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { digestOf, tagOf } from './image-text.ts';
import { type Happening, Simulation, type Write } from './simulation.ts';

const small = fc.nat({ max: 9 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ what: fc.constant('push' as const), minor: small, bad: fc.boolean() }),
  fc.record({ what: fc.constant('move' as const), which: small, bad: fc.boolean() }),
  fc.record({
    what: fc.constant('list' as const),
    as: fc.constantFrom('whole', 'whole', 'truncated', 'empty', 'reversed', 'down'),
    keep: small,
  }),
  fc.record({ what: fc.constant('edit' as const), which: small, pinned: fc.boolean() }),
  fc.record({ what: fc.constant('back' as const) }),
  fc.record({ what: fc.constant('resume' as const) }),
  fc.record({ what: fc.constant('lift' as const), which: small }),
  fc.record({ what: fc.constant('pods' as const), are: fc.constantFrom('quick', 'slow') }),
  fc.record({ what: fc.constant('broken' as const) }),
  ...Array.from({ length: 8 }, () =>
    fc.record({
      what: fc.constant('pass' as const),
      dies: fc.constantFrom('no', 'no', 'no', 'before', 'after'),
      later: small,
    }),
  ),
);
const life = fc.array(happening, { minLength: 20, maxLength: 120 });
const policies = fc.constantFrom({ semver: { range: '*' } }, { digest: { tag: '1.0.0' } });
const maturities = fc.constantFrom(0, 0, 15_000);

const isBack = ({ remembered }: Write) => remembered.update?.stage === 'RollingBack';
const forward = ({ writes }: Simulation) => writes.filter((write) => !isBack(write));

function live(simulation: Simulation, happenings: readonly Happening[], each?: () => void): Simulation {
  for (const one of happenings) {
    simulation.happen(one);
    each?.();
  }
  return simulation;
}

/** Somebody lifts the quarantine of one of them, and that is heeded. */
function lift(simulation: Simulation, condemned: Set<string>): void {
  simulation.happen({ what: 'pass', dies: 'no', later: 0 });
  condemned.clear();
}

describe('whatever happens', () => {
  it('never goes to what is older than what runs', () => {
    fc.assert(
      fc.property(life, maturities, (happenings, maturity) => {
        const simulation = live(new Simulation({ semver: { range: '*' } }, maturity), happenings);
        for (const { from, to } of forward(simulation)) {
          expect(semver.gt(tagOf(to) ?? '', tagOf(from) ?? ''), `${from} → ${to}`).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never rolls out again what is quarantined, until somebody has lifted that', () => {
    fc.assert(
      fc.property(life, policies, maturities, (happenings, policy, maturity) => {
        const simulation = new Simulation(policy, maturity);
        // What it has ever called bad, whatever its memory says later.
        const condemned = new Set<string>();
        for (const happening of happenings) {
          const before = forward(simulation).length;
          simulation.happen(happening);
          for (const { to } of forward(simulation).slice(before)) expect(condemned).not.toContain(digestOf(to));
          if (happening.what === 'lift') lift(simulation, condemned);
          for (const { digest } of simulation.memory.quarantine) condemned.add(digest);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('writes nothing that was not written down before', () => {
    fc.assert(
      fc.property(life, policies, maturities, (happenings, policy, maturity) => {
        const { writes } = live(new Simulation(policy, maturity), happenings);
        for (const { from, to, remembered } of writes) {
          const { stage, ...update } = remembered.update ?? expect.unreachable();
          const expected = stage === 'RollingBack' ? [update.to, update.back] : [update.from, update.to];
          expect([from, to]).toEqual(expected);
          expect(digestOf(stage === 'RollingBack' ? update.to : to)).toBe(update.digest);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('leaves alone what somebody has changed, until he says to go on', () => {
    fc.assert(
      fc.property(life, policies, (happenings, policy) => {
        const simulation = new Simulation(policy);
        let seen = 0;
        live(simulation, happenings, () => {
          const fresh = simulation.writes.slice(seen);
          seen = simulation.writes.length;
          for (const { remembered } of fresh) expect(remembered.hold).toBeUndefined();
        });
        const writes = simulation.writes.length;
        simulation.pass();
        simulation.happen({ what: 'push', minor: 10, bad: false });
        simulation.happen({ what: 'edit', which: simulation.tags.size - 1, pinned: true });
        for (let i = 0; i < 20; i++) simulation.happen({ what: 'pass', dies: 'no', later: 30 });
        expect(simulation.writes.length - writes).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });

  it('comes to rest: then nothing is written, into the workload or the status', () => {
    fc.assert(
      fc.property(life, policies, maturities, (happenings, policy, maturity) => {
        const simulation = live(new Simulation(policy, maturity), happenings);
        for (let i = 0; i < 400; i++) simulation.happen({ what: 'pass', dies: 'no', later: 10 });
        const { memory, writes, image } = simulation;
        const before = [structuredClone(memory), writes.length, image, simulation.pass().why];
        for (let i = 0; i < 50; i++) simulation.happen({ what: 'pass', dies: 'no', later: 60 });
        expect([simulation.memory, simulation.writes.length, simulation.image, simulation.pass().why]).toEqual(before);
        expect(simulation.memory.update).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('has its updates, where nobody and nothing is against them', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 }), (minors) => {
        const simulation = new Simulation({ semver: { range: '*' } });
        for (const minor of minors) {
          simulation.happen({ what: 'push', minor, bad: minor % 3 === 0 });
          for (let i = 0; i < 40; i++) simulation.happen({ what: 'pass', dies: 'no', later: 2 });
        }
        const good = minors.filter((minor) => minor % 3 !== 0);
        expect(tagOf(simulation.image)).toBe(`1.${Math.max(0, ...good)}.0`);
        expect(simulation.memory.quarantine.every(({ tag }) => Number(tag.split('.')[1]) % 3 === 0)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
