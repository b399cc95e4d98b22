import { describe, expect, it } from 'vitest';
import type { InstanceHealth } from '../../evidence/evidence.ts';
import { freshHistory } from '../../incident/history.ts';
import { serviceSpec } from '../../spec-defaults.ts';
import { minute, second } from '../../time.ts';
import type { Situation } from '../situation.ts';
import { verifying } from './repairing.ts';

const now = 1_800_000_000 * second;

/** A roll-back from r2 to r1 was done a moment ago, when `old` was all there was. */
function rolledBack(instances: readonly [uid: string, revision: string, health: InstanceHealth][]): Situation {
  const seen = instances.map(([uid, revision, health]) => ({
    uid,
    name: uid,
    revision,
    health,
    symptoms: health === 'failing' ? [{ kind: 'crash-loop', confirmed: true, since: now, says: 'crashes' }] : [],
  }));
  const count = (health: InstanceHealth) => instances.filter((one) => one[2] === health).length;
  const action = {
    id: 'web#1/1.1',
    kind: 'rollback',
    revision: 'r1',
    targets: [],
    expect: { generation: 2, revision: 'r2' },
    outcome: { result: 'done', at: now },
  };
  const attempt = { step: 'rollback', startedAt: now, deadline: now + minute, present: ['old'], actions: [action] };
  return {
    spec: serviceSpec({ name: 'web' }),
    seen: { workload: { rollout: 'progressing' } },
    evidence: {
      condition: 'down',
      desired: 2,
      instances: seen,
      counts: { starting: count('starting'), unknown: 0, terminating: 0 },
    },
    diagnosis: { cause: 'crash-loop', confidence: 'certain', affected: [], reasons: [], extent: 'some' },
    history: { ...freshHistory(now), revisions: { healthy: ['r1'], bad: ['r2'], left: ['r2'] } },
    incident: { id: 'web#1', stage: 'verifying', attempts: [attempt], transitions: [] },
    now,
  } as unknown as Situation;
}

describe('a roll-back', () => {
  it('is not judged by who still came of the revision that it leaves', () => {
    const move = verifying(
      rolledBack([
        ['late', 'r2', 'failing'],
        ['fresh', 'r1', 'starting'],
      ]),
    );
    expect(move).toMatchObject({ reason: 'waits to see rollback take effect' });
    expect(move.to).toBeUndefined();
  });

  it('has failed when those of the revision that it goes back to are broken as well', () => {
    const move = verifying(
      rolledBack([
        ['old', 'r2', 'failing'],
        ['fresh', 'r1', 'failing'],
      ]),
    );
    expect(move).toMatchObject({ to: 'confirmed', reason: 'fresh, which came after it, fails as well' });
    expect(move.history?.revisions.healthy).toEqual([]);
  });
});
