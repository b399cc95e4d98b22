import { describe, expect, it } from 'vitest';
import type { Cause } from '../../diagnosis/cause.ts';
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

describe('a replacement, wave by wave', () => {
  /** One of three was replaced and is well; the other two are not. */
  function replacing(cause: Cause): Situation {
    const base = rolledBack([]);
    const instance = (uid: string, health: InstanceHealth) => ({ uid, name: uid, health, symptoms: [], ready: true });
    const action = { id: 'web#1/1.1', kind: 'evict', targets: [{ name: 'a', uid: 'a' }], outcome: { result: 'done' } };
    const attempt = {
      step: 'replace',
      startedAt: now,
      deadline: now + minute,
      present: ['a', 'b', 'c'],
      actions: [action],
    };
    const instances = [instance('d', 'healthy'), instance('b', 'failing'), instance('c', 'failing')];
    return {
      ...base,
      seen: { workload: { rollout: 'settled', generation: 1, revision: 'r1' }, nodes: [] },
      evidence: { ...base.evidence, instances, desired: 3, counts: { ...base.evidence.counts, healthy: 1 } },
      diagnosis: { cause, confidence: 'likely', affected: ['b', 'c'], reasons: ['so it is'], extent: 'some' },
      incident: { ...base.incident, attempts: [attempt] },
      cluster: { active: 1, atOnce: 5, recent: 0, budget: { repairs: 60, per: minute }, notBefore: 0, coolDown: 0 },
    } as unknown as Situation;
  }

  it('goes on with the next one', () => {
    expect(verifying(replacing('unreachable'))).toMatchObject({ to: 'repairing' });
  });

  it('does not go on once it is the network that is to blame', () => {
    expect(verifying(replacing('network')).to).not.toBe('repairing');
  });
});
