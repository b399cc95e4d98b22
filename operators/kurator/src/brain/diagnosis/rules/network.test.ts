/** Who is not reached, and whether somebody else's answers say that it is not the network. */
import { describe, expect, it } from 'vitest';
import type { Evidence, InstanceEvidence } from '../../evidence/evidence.ts';
import { serviceSpec } from '../../spec-defaults.ts';
import { minute, second } from '../../time.ts';
import { diagnose } from '../diagnose.ts';
import type { DiagnosisInput } from '../rule.ts';
import { silenceEverywhere } from './network.ts';

const now = 1_000 * minute;
/** Nobody was reached from here on. */
const since = now - 2 * minute;
const spec = serviceSpec({ name: 'web', checks: [{ name: 'http', period: second, failAfter: 3 }] });

function instance(
  uid: string,
  health: 'healthy' | 'failing',
  answered: InstanceEvidence['answered'],
): InstanceEvidence {
  const silence = {
    kind: 'unreachable',
    confirmed: true,
    since,
    says: `${uid} is not reached`,
    instance: uid,
  } as const;
  return {
    name: uid,
    uid,
    revision: 'r',
    createdAt: 0,
    ready: true,
    health,
    symptoms: health === 'failing' ? [silence] : [],
    ...(answered && { answered }),
  };
}

/** One that is not reached, beside one that answers without a break since then. */
function causeBeside(answersFrom: number): ReturnType<typeof silenceEverywhere> {
  const instances = [
    instance('a', 'failing', { from: 0, to: since - second }),
    instance('b', 'healthy', { from: answersFrom, to: now }),
  ];
  const symptoms = instances.flatMap((one) => one.symptoms);
  return silenceEverywhere({
    spec,
    now,
    evidence: { instances, symptoms } as unknown as Evidence,
  } as unknown as DiagnosisInput);
}

describe('one that is not reached', () => {
  it('is told from the network by another that was reached all the time', () => {
    expect(causeBeside(0)).toBeUndefined();
  });

  it('may just be the last to come back when another has come back only now', () => {
    expect(causeBeside(now - 2 * second)).toMatchObject({
      cause: 'unreachable',
      confidence: 'possible',
      affected: ['a'],
    });
  });

  it('is told from the network by another that has been back for a while', () => {
    expect(causeBeside(now - 15 * second)).toBeUndefined();
  });

  it('is not taken for ill itself where the way to another loses packets, which on-call knows', () => {
    const lost = {
      ...instance('c', 'failing', undefined),
      symptoms: [],
      ways: { lossy: ['operator'], clear: [], unclear: [] },
    };
    const instances = [instance('a', 'failing', { from: 0, to: since - second }), lost];
    const symptoms = instances.flatMap((one) => one.symptoms);
    const input = {
      spec,
      now,
      givenUp: ['network'],
      seen: { instances: [], workload: {} },
      revisions: { healthy: [] },
      evidence: { instances, symptoms },
    };
    expect(diagnose(input as unknown as DiagnosisInput)).toMatchObject({ confidence: 'possible', affected: ['a'] });
  });
});
