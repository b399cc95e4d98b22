import { describe, expect, it } from 'vitest';
import { now, observe, perceptionOf, specOf, type Trouble, uids } from '../../../test/support/brain/trouble.ts';
import { survey } from '../cluster/survey.ts';
import { freshHistory, type History } from '../incident/history.ts';
import { freshPerception, perceive } from '../perception/perception.ts';
import { clusterDefaults } from '../spec-defaults.ts';
import { think } from '../think.ts';
import { minute, second } from '../time.ts';
import { proveChecks, provenIn } from './proven-checks.ts';

const check = { name: 'http', period: 10 * second, definition: '/healthz' };
const edited = { ...check, definition: '/helthz' };
const fresh = freshHistory(now - minute);
const { view: cluster } = survey(clusterDefaults, [], {}, now);

/** Ten failures of the check on everybody, who never passed it as it is now. */
function failing(trouble: Trouble) {
  const spec = specOf(trouble);
  const { instances } = observe(trouble);
  const results = Array.from({ length: 10 }, (_, index) => index).flatMap((index) =>
    uids.map((target) => ({
      target,
      check: 'http',
      outcome: 'failing' as const,
      errorKind: 'status',
      message: 'status 404',
      at: now - (10 - index) * second,
      latencyMs: 5,
    })),
  );
  return perceive(spec, freshPerception, { results, samples: [], instances });
}

function thoughtOf(trouble: Trouble, history: History = fresh) {
  const perception = failing(trouble);
  return think({ spec: specOf(trouble), seen: observe(trouble), perception, history, cluster, outcomes: [], now });
}

const isProvenBy = (trouble: Trouble, history: History = fresh) => {
  const spec = specOf(trouble);
  const learned = proveChecks(spec, history, perceptionOf(trouble), observe(trouble));
  return spec.checks.map(provenIn(learned));
};

describe('a check', () => {
  it('is proven by one pass on an instance that Kubernetes calls ready', () => {
    const ill = { a: 'status', b: 'status', c: 'status' };
    expect(isProvenBy({ errors: ill, spec: { checks: [check] } })).toEqual([true]);
    const unready = Object.fromEntries(uids.map((uid) => [uid, { ready: false }]));
    expect(isProvenBy({ instances: unready, spec: { checks: [check] } })).toEqual([false]);
  });

  it('is unproven again once it is edited, and as it was when it is edited back', () => {
    const history = { ...fresh, provenChecks: { http: '/healthz' } };
    expect([edited, check].map(provenIn(history) as never)).toEqual([false, true]);
    const spec = specOf({ spec: { checks: [edited] } });
    const before = perceive(specOf({ spec: { checks: [check] } }), perceptionOf({ spec: { checks: [check] } }), {
      results: [],
      samples: [],
      instances: observe({}).instances,
    });
    // What it answered before the edit does not prove it.
    const after = perceive(spec, before, { results: [], samples: [], instances: observe({}).instances });
    expect(proveChecks(spec, history, after, observe({})).provenChecks).toEqual({ http: '/healthz' });
  });

  it('stays proven for an operator that finds a memory from before this was remembered, in the middle of a fault', () => {
    const { provenChecks: _, ...old } = fresh;
    const trouble = { spec: { checks: [check] } };
    const proven = { ...old, revisions: { healthy: ['r1'], bad: [], left: [] } };
    expect(thoughtOf(trouble, proven)).toMatchObject({
      diagnosis: { cause: 'wrong-answers' },
      decision: { kind: 'act' },
    });
    // Where nothing was ever seen well, nothing is known of its checks either.
    expect(thoughtOf(trouble, old).diagnosis?.cause).toBe('unproven-check');
  });

  it('is remembered as proven across a restart', () => {
    const trouble = { spec: { checks: [check] } };
    const learned = proveChecks(specOf(trouble), fresh, perceptionOf(trouble), observe(trouble));
    const read = JSON.parse(JSON.stringify(learned)) as History;
    expect(thoughtOf(trouble, read).diagnosis?.cause).toBe('wrong-answers');
    expect(proveChecks(specOf(trouble), learned, perceptionOf(trouble), observe(trouble))).toBe(learned);
  });
});

describe('a check that has never passed', () => {
  it('is told to a person with the remedy, and nothing is done, nor is anybody called ill', () => {
    const thought = thoughtOf({ spec: { checks: [edited] } });
    expect(thought.diagnosis).toMatchObject({ cause: 'unproven-check', affected: [] });
    expect(thought.actions).toEqual([]);
    expect(thought.incident?.stage).toBe('handedOver');
    expect(thought.evidence).toMatchObject({ condition: 'unknown', counts: { unknown: 3, failing: 0 } });
    expect(thought.notifications.flatMap(({ lines }) => lines).join('\n')).toContain('are the path, the port');
    expect(thought.notifications.map(({ title }) => title)).not.toContainEqual(expect.stringContaining('is down'));
  });

  it('says nothing of instances that Kubernetes does not call ready: that counts by itself', () => {
    const instances = Object.fromEntries(uids.map((uid) => [uid, { ready: false }]));
    const thought = thoughtOf({ instances, spec: { checks: [edited] } });
    expect(thought.evidence.symptoms.map(({ kind }) => kind)).toEqual(['unready', 'unready', 'unready']);
    expect(thought.diagnosis?.cause).toBe('unready');
  });

  it('does not keep another fault from being healed', () => {
    const looping = { state: 'waiting', waiting: 'CrashLoopBackOff', name: 'main', restarts: 5 } as const;
    const instances = { a: { ready: false, containers: [looping] } };
    const thought = thoughtOf({ instances, spec: { checks: [edited] } });
    expect(thought.diagnosis).toMatchObject({ cause: 'crash-loop', affected: ['a'] });
    expect(thought.actions).toMatchObject([{ kind: 'evict', targets: [{ uid: 'a' }] }]);
  });

  it('through the Service is told as well, and does not make it down', () => {
    const through = { name: 'http', through: 'service' as const, period: 10 * second, definition: 'x' };
    const spec = specOf({ spec: { checks: [through] } });
    const results = Array.from({ length: 5 }, (_, index) => ({
      target: 'service',
      check: 'http',
      outcome: 'failing' as const,
      errorKind: 'status',
      at: now - (5 - index) * second,
      latencyMs: 5,
    }));
    const seen = observe({});
    const perception = perceive(spec, freshPerception, { results, samples: [], instances: seen.instances });
    const thought = think({ spec, seen, perception, history: fresh, cluster, outcomes: [], now });
    expect(thought.diagnosis?.cause).toBe('unproven-check');
    expect(thought.evidence.condition).toBe('unknown');
  });
});
