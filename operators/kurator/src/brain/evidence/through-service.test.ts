import { describe, expect, it } from 'vitest';
import { everyCheck } from '../../../test/support/brain/trouble.ts';
import type { InstanceObservation, Observation } from '../observation.ts';
import { freshPerception, perceive } from '../perception/perception.ts';
import { serviceSpec } from '../spec-defaults.ts';
import { second } from '../time.ts';
import { detect } from './detect.ts';

const now = 1_800_000_000 * second;
const spec = serviceSpec({ name: 'web', checks: [{ name: 'front', through: 'service', failAfter: 1 }] });

function confirmedWith(instances: readonly Partial<InstanceObservation>[]) {
  const all = instances.map((one, index) => ({
    name: `web-${index}`,
    uid: `${index}`,
    revision: 'r1',
    createdAt: now - 5 * second,
    terminating: false,
    containers: [],
    ...one,
  }));
  const workload = { desired: 2, generation: 1, revision: 'r1', revisions: ['r1'], rollout: 'settled', paused: false };
  const nobody = { nodes: [], dependencies: [], dependants: [], answers: [], orders: { approved: [], resumed: [] } };
  const seen = { at: now, workload, instances: all, ...nobody } as Observation;
  const refused = { target: 'service', check: 'front', outcome: 'failing', errorKind: 'refused' } as const;
  const results = [{ ...refused, at: now, latencyMs: 1 }];
  const perception = perceive(spec, freshPerception, { results, samples: [], instances: all });
  return detect(spec, perception, seen, everyCheck, now).symptoms.find(({ kind }) => kind === 'service')?.confirmed;
}

describe('a Service that does not answer', () => {
  it('is no fault yet while all that could answer is only starting', () => {
    expect(confirmedWith([{ ready: false }, { ready: false, terminating: true }])).toBeUndefined();
  });

  it('is one as soon as somebody is there', () => {
    expect(confirmedWith([{ ready: false }, { ready: true }])).toBe(true);
  });
});
