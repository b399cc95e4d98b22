import { describe, expect, it } from 'vitest';
import { everyCheck, now, observe, perceptionOf, specOf, type Trouble } from '../../../test/support/brain/trouble.ts';
import { survey } from '../cluster/survey.ts';
import { detect } from '../evidence/detect.ts';
import { freshHistory } from '../incident/history.ts';
import { clusterDefaults } from '../spec-defaults.ts';
import { minute, second } from '../time.ts';
import { refusal } from './gates.ts';
import type { Situation } from './situation.ts';

/** Who says no to the replacement of an instance that has not been reached for ten seconds. */
function refusedBy(trouble: Trouble): string | undefined {
  const spec = specOf(trouble);
  const seen = observe(trouble);
  const evidence = detect(spec, perceptionOf(trouble), seen, everyCheck, now);
  const situation = {
    spec,
    seen,
    evidence,
    diagnosis: { cause: 'unreachable', confidence: 'certain', affected: ['a'], reasons: [], extent: 'instance' },
    history: freshHistory(now - minute),
    incident: { id: 'web#1', stage: 'confirmed', attempts: [], transitions: [] },
    cluster: survey(clusterDefaults, [], {}, now).view,
    now,
  } as unknown as Situation;
  const targets = evidence.instances.filter(({ uid }) => uid === 'a');
  return refusal(situation, { step: 'replace', targets, isFirst: true })?.by;
}

const silent: Trouble = { errors: { a: 'connect-timeout' }, spec: { stateful: true } };

describe('a stateful instance that is not reached', () => {
  it('is held until it is known whether its node is lost', () => {
    expect(refusedBy(silent)).toBe('whereabouts');
  });

  it('is held also when its kubelet calls it not ready: it may just be starting again after its node was away', () => {
    expect(refusedBy({ ...silent, instances: { a: { ready: false, readySince: now - 5 * second } } })).toBe(
      'whereabouts',
    );
  });

  it('is held no longer once another pod of its node has answered since: the node lives', () => {
    const answering = (answeredAt: number): Trouble => ({ ...silent, nodes: { n1: { answeredAt } } });
    expect(refusedBy(answering(now - second))).toBeUndefined();
    expect(refusedBy(answering(now - minute))).toBe('whereabouts');
  });

  it('is held also where it is allowed to run twice, until it is known whether that takes force', () => {
    const moving = { ...silent, spec: { stateful: true, recovery: { moveWhenUnreachable: true } } };
    expect(refusedBy(moving)).toBe('whereabouts');
    expect(refusedBy({ ...moving, nodes: { n1: { ready: 'unknown', since: now - second } } })).toBeUndefined();
  });
});
