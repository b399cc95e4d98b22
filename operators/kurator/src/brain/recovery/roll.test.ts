/** A restart of the whole service, where the workload can make new instances before the old ones go. */
import { describe, expect, it } from 'vitest';
import { now, observe, specOf, type Trouble } from '../../../test/support/brain/trouble.ts';
import type { Diagnosis } from '../diagnosis/cause.ts';
import type { InstanceEvidence, InstanceHealth } from '../evidence/evidence.ts';
import { freshHistory } from '../incident/history.ts';
import { type Attempt, openAttempt } from '../incident/incident.ts';
import type { ServiceInput } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import { begun } from './attempt.ts';
import { refusal } from './gates.ts';
import type { Situation } from './situation.ts';
import { pursue } from './stages/pursuing.ts';
import { verifying } from './stages/repairing.ts';
import { isRolled, takenFirst } from './targets.ts';

type Change = Omit<Trouble, 'spec'> & { readonly spec?: Partial<ServiceInput> };
type Healths = readonly (readonly [uid: string, health: InstanceHealth])[];

const allBad: Healths = [
  ['a', 'failing'],
  ['b', 'failing'],
  ['c', 'impaired'],
];
const surge = { unavailable: 0 };

/** Three instances, all of them in trouble, of a workload that surges. */
function situation(healths: Healths = allBad, change: Change = {}): Situation {
  const trouble = { ...change, workload: { surge, ...change.workload } };
  const instances = healths.map(([uid, health], index): InstanceEvidence => {
    const symptom = {
      kind: 'hang',
      confirmed: true,
      since: now - minute,
      says: `${uid} hangs`,
      instance: uid,
    } as const;
    const symptoms = health === 'failing' || health === 'impaired' ? [symptom] : [];
    return {
      uid,
      name: `web-${uid}`,
      revision: 'r1',
      createdAt: now - (10 - index) * minute,
      ready: true,
      health,
      symptoms,
    };
  });
  const count = (wanted: InstanceHealth) => instances.filter(({ health }) => health === wanted).length;
  const states = ['healthy', 'impaired', 'failing', 'starting', 'unknown', 'terminating'] as const;
  const counts = Object.fromEntries(states.map((state) => [state, count(state)]));
  return {
    spec: specOf(trouble),
    seen: observe(trouble),
    evidence: {
      at: now,
      condition: 'down',
      desired: 3,
      instances,
      symptoms: instances.flatMap((one) => one.symptoms),
      counts,
    },
    diagnosis: {
      cause: 'hang',
      confidence: 'certain',
      affected: ['a', 'b', 'c'],
      reasons: ['it hangs'],
      extent: 'all',
    },
    history: { ...freshHistory(now), revisions: { healthy: ['r1'], bad: [], left: [] } },
    incident: {
      id: 'web#1',
      stage: 'confirmed',
      stageSince: now - second,
      attempts: [],
      countsFrom: 0,
      relapses: 0,
      notices: [],
      givenUp: [],
      transitions: [{ seq: 1, at: now - second, from: 'suspected', to: 'confirmed', reason: '', condition: 'down' }],
    },
    cluster: { active: 0, atOnce: 5, recent: 0, budget: { repairs: 60, per: minute }, notBefore: 0, coolDown: 0 },
    now,
  } as unknown as Situation;
}

/** The same, with the rolling update done a while ago. */
function rolling(healths: Healths, later: number, change: Change = {}): Situation {
  const first = situation();
  const incident = begun(first, 'restart');
  const attempt = openAttempt(incident) as Attempt;
  const actions = attempt.actions.map((action) => ({ ...action, outcome: { result: 'done' as const, at: now } }));
  const done = { ...incident, stage: 'verifying' as const, attempts: [{ ...attempt, actions }] };
  const seen = { ...change, workload: { rollout: 'progressing' as const, revision: 'r1', ...change.workload } };
  return { ...situation(healths, seen), incident: done, now: now + later };
}

describe('a restart of the whole service', () => {
  it('is a rolling update where new instances can come before the old ones go', () => {
    const { to, incident, reason } = pursue(situation());
    expect(to).toBe('repairing');
    expect(incident?.attempts).toMatchObject([
      { step: 'restart', present: ['a', 'b', 'c'], actions: [{ kind: 'roll', targets: [], intendedAt: now }] },
    ]);
    expect(reason).toMatch(/^restart all pods by a rolling update \(new ones before the old ones go\): /);
  });

  it('is said so where it is only proposed', () => {
    const { to, reason } = pursue(situation(allBad, { spec: { dryRun: true } }));
    expect(to).toBe('proposed');
    expect(reason).toContain('would restart all pods by a rolling update (new ones before the old ones go) now');
  });

  it.each([
    ['the workload does not surge', allBad, { workload: { surge: undefined as never } }],
    [
      'one of them is well',
      [
        ['a', 'failing'],
        ['b', 'failing'],
        ['c', 'healthy'],
      ],
      {},
    ],
    [
      'of one of them nothing is known',
      [
        ['a', 'failing'],
        ['b', 'failing'],
        ['c', 'unknown'],
      ],
      {},
    ],
    [
      'one of them has only just come',
      [
        ['a', 'failing'],
        ['b', 'failing'],
        ['c', 'starting'],
      ],
      {},
    ],
  ] as [string, Healths, Change][])('takes away the sick ones alone where %s', (_, healths, change) => {
    const { incident } = pursue(situation(healths, change));
    expect(incident?.attempts).toMatchObject([
      { step: 'restart', actions: [{ kind: 'evict', targets: [{ uid: 'a' }] }] },
    ]);
  });

  it('takes along those that are well where that is wanted', () => {
    const healths: Healths = [
      ['a', 'failing'],
      ['b', 'healthy'],
      ['c', 'healthy'],
    ];
    expect(isRolled(situation(healths, { spec: { recovery: { restartHealthy: true } } }), 'restart')).toBe(true);
  });

  it('is what dependants are told before it', () => {
    const one = situation();
    const told = pursue({ ...one, seen: { ...one.seen, dependants: [{ name: 'shop', answers: false }] } });
    expect(told.incident?.notices).toMatchObject([
      { to: 'shop', reason: 'web fails and is about to be repaired (restart by a rolling update)' },
    ]);
  });

  it('is never how a single one is replaced', () => {
    expect(isRolled(situation(), 'replace')).toBe(false);
  });
});

describe('the first of several that fail', () => {
  /** One is seen to fail; of each of the others something was seen. */
  function first(change: Change = {}, suspected: readonly string[] = ['b', 'c']): Situation {
    const one = situation(
      [
        ['a', 'failing'],
        ['b', 'healthy'],
        ['c', 'healthy'],
      ],
      change,
    );
    const suspicion = { kind: 'hang', confirmed: false, since: now, says: 'may hang' } as const;
    const instances = one.evidence.instances.map((it) =>
      suspected.includes(it.uid) ? { ...it, symptoms: [suspicion] } : it,
    );
    const diagnosis = { ...(one.diagnosis as Diagnosis), affected: ['a'], extent: 'instance' as const };
    return { ...one, evidence: { ...one.evidence, instances }, diagnosis };
  }

  it('waits for the others, for as long as a suspicion takes to be confirmed', () => {
    const one = first();
    const move = pursue(one);
    expect(move).toMatchObject({ isHeld: true, reason: 'all of it may fail, and would be restarted together' });
    expect(pursue({ ...one, now: move.until ?? 0 }).to).toBe('repairing');
  });

  it.each([
    ['one of the others is above suspicion', first({}, ['b'])],
    ['they would not be restarted together', first({ workload: { surge: undefined as never } })],
    ['a restart is not wanted', first({ spec: { recovery: { steps: { restart: { enabled: false } } } } })],
  ])('is replaced at once where %s', (_, one) => {
    expect(pursue(one).incident?.attempts).toMatchObject([{ step: 'replace', actions: [{ kind: 'evict' }] }]);
  });
});

describe('what may be missed during a rolling update', () => {
  const impaired: Healths = [
    ['a', 'impaired'],
    ['b', 'impaired'],
    ['c', 'impaired'],
  ];
  const refusedBy = (change: Change, healths = impaired) => {
    const one = situation(healths, change);
    return refusal(one, { step: 'restart', targets: takenFirst(one, 'restart'), isFirst: true })?.by;
  };

  it('is nobody where all are replaced before they go: those that still serve may be restarted too', () => {
    expect(refusedBy({})).toBeUndefined();
    expect(refusedBy({ workload: { surge: undefined as never } })).toBe('minimum');
  });

  it('is as many as the strategy has it, and the minimum holds for them', () => {
    expect(refusedBy({ workload: { surge: { unavailable: 1 } } })).toBe('minimum');
    const failing: Healths = [
      ['a', 'failing'],
      ['b', 'failing'],
      ['c', 'failing'],
    ];
    expect(refusedBy({ workload: { surge: { unavailable: 1 } } }, failing)).toBeUndefined();
  });

  it('is counted against a PodDisruptionBudget, which the workload’s own controller does not ask', () => {
    const failing: Healths = [
      ['a', 'failing'],
      ['b', 'failing'],
      ['c', 'failing'],
    ];
    expect(refusedBy({ workload: { disruptionsAllowed: 0 } }, failing)).toBeUndefined();
    expect(refusedBy({ workload: { disruptionsAllowed: 0, surge: { unavailable: 1 } } }, failing)).toBe('disruption');
  });
});

describe('a rolling update', () => {
  const fresh = (...healths: Healths): Healths => [...allBad, ...healths];

  it('takes nobody else away: its waves are the workload’s own', () => {
    const move = verifying(rolling(fresh(['d', 'healthy']), minute, { workload: { rollout: 'settled' } }));
    expect(move.to).toBeUndefined();
  });

  it('gets more time with each instance that comes, and no more than one after the other would', () => {
    const step = 5 * minute;
    const come = (later: number) => {
      const one = rolling(fresh(['d', 'starting']), later);
      const instances = one.evidence.instances.map((it) => (it.uid === 'd' ? { ...it, createdAt: now + later } : it));
      return verifying({ ...one, evidence: { ...one.evidence, instances } });
    };
    const deadlineOf = ({ incident }: ReturnType<typeof come>) => openAttempt(incident as never)?.deadline;
    expect(deadlineOf(come(4 * minute))).toBe(now + 4 * minute + step);
    expect(deadlineOf(come(14 * minute))).toBe(now + 3 * step);
    expect(come(3 * step)).toMatchObject({ to: 'confirmed', reason: expect.stringContaining('still not well') });
  });

  it('has failed where nobody can be made, and nobody was taken away', () => {
    expect(verifying(rolling(allBad, 5 * minute))).toMatchObject({ to: 'confirmed' });
  });

  it('has failed as soon as a new one is seen to be broken as well', () => {
    const move = verifying(rolling(fresh(['d', 'failing']), minute));
    expect(move).toMatchObject({ to: 'confirmed', reason: 'web-d, which came after it, fails as well' });
  });

  it('leads to no roll-back: what it makes is the same revision', () => {
    const { history } = verifying(rolling(fresh(['d', 'failing']), minute));
    expect(history?.revisions.bad ?? []).toEqual([]);
  });
});
