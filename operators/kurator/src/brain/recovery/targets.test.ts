import { describe, expect, it } from 'vitest';
import type { InstanceHealth } from '../evidence/evidence.ts';
import { serviceSpec } from '../spec-defaults.ts';
import type { Situation } from './situation.ts';
import { isHeldUp, targetsOf, wave } from './targets.ts';

const states: InstanceHealth[] = ['healthy', 'unknown', 'starting', 'terminating', 'impaired', 'failing'];

/** One instance in each state, named after it; all of them suspected of something. */
function situation(change: { restartHealthy?: boolean; stateful?: boolean; maxUnavailable?: number } = {}): Situation {
  const { stateful = false, ...recovery } = change;
  const instances = states.map((health) => ({
    uid: health,
    name: health,
    revision: 'r1',
    createdAt: 0,
    ready: true,
    health,
    symptoms: [],
  }));
  const diagnosis = { cause: 'hang', confidence: 'certain', affected: states, reasons: [], extent: 'all' };
  return {
    spec: serviceSpec({ name: 'web', stateful, recovery }),
    evidence: { instances },
    diagnosis,
  } as unknown as Situation;
}

const named = (targets: readonly { name: string }[]) => targets.map(({ name }) => name);

describe('targets', () => {
  it('are those that are known to be bad, the worst first, and never what is unknown', () => {
    expect(named(targetsOf(situation(), 'replace'))).toEqual(['failing', 'impaired']);
    expect(named(targetsOf(situation(), 'restart'))).toEqual(['failing', 'impaired']);
  });

  it('are also those that are well where a person wants that, last of all', () => {
    expect(named(targetsOf(situation({ restartHealthy: true }), 'restart'))).toEqual([
      'failing',
      'impaired',
      'healthy',
    ]);
  });

  it('are none for a step that takes nobody away', () => {
    expect(targetsOf(situation(), 'rollback')).toEqual([]);
  });

  it('are taken as many at a time as may be missing, and one by one where they have an identity', () => {
    const two = situation({ maxUnavailable: 2 });
    expect(named(wave(two, targetsOf(two, 'replace')))).toEqual(['failing', 'impaired']);
    const stateful = situation({ maxUnavailable: 2, stateful: true });
    expect(named(wave(stateful, targetsOf(stateful, 'replace')))).toEqual(['failing']);
  });
});

describe('a StatefulSet of three', () => {
  /** By name, and how they are. */
  const of = (instances: Record<string, InstanceHealth>) => {
    const known = Object.entries(instances).map(([name, health]) => ({ uid: name, name, health, symptoms: [] }));
    const counts = Object.fromEntries(
      states.map((state) => [state, known.filter((one) => one.health === state).length]),
    );
    const evidence = { instances: known, counts, desired: 3 };
    const diagnosis = { affected: Object.keys(instances) };
    return { spec: serviceSpec({ name: 'db', stateful: true }), evidence, diagnosis } as unknown as Situation;
  };

  it('has the one replaced first that the others wait for', () => {
    const all = of({ 'db-2': 'failing', 'db-10': 'failing', 'db-0': 'impaired', 'db-1': 'failing' });
    expect(named(targetsOf(all, 'replace'))).toEqual(['db-1', 'db-2', 'db-10', 'db-0']);
  });

  it('is held up where one is missing and one before it fails', () => {
    expect(isHeldUp(of({ 'db-0': 'failing', 'db-1': 'healthy' }))).toBe(true);
  });

  it.each([
    ['nobody is missing', { 'db-0': 'failing', 'db-1': 'failing', 'db-2': 'healthy' }],
    ['only one after it fails', { 'db-1': 'failing', 'db-2': 'healthy' }],
    ['somebody is still on his way', { 'db-0': 'failing', 'db-1': 'healthy', 'db-2': 'starting' }],
    ['everybody who is there is well', { 'db-0': 'healthy', 'db-1': 'healthy' }],
  ] satisfies [string, Record<string, InstanceHealth>][])('is not held up where %s', (_, instances) => {
    expect(isHeldUp(of(instances))).toBe(false);
  });
});
