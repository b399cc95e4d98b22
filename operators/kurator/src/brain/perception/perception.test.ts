import { describe, expect, it } from 'vitest';
import type { InstanceObservation } from '../observation.ts';
import { serviceSpec } from '../spec-defaults.ts';
import { freshPerception, perceive } from './perception.ts';

const instances = [
  { uid: 'a', containers: [] as InstanceObservation['containers'] },
] as unknown as InstanceObservation[];
const result = { target: 'a', check: 'page', outcome: 'healthy', at: 1000, latencyMs: 5, connectMs: 1 } as const;
const sample = { from: 'n2', to: 'a', at: 1000, connectMs: 1, opened: true };
const checks = [{ name: 'page', recoverAfter: 1 }];

describe('what is seen of the way to an instance', () => {
  it('is kept apart by where it was seen from', () => {
    const spec = serviceSpec({ name: 'web', checks });
    const { targets } = perceive(spec, freshPerception, { results: [result], samples: [sample], instances });
    expect(Object.keys(targets.a?.paths ?? {})).toEqual(['operator', 'n2']);
  });

  it('is left alone where lost packets are not to be looked for', () => {
    const spec = serviceSpec({ name: 'web', checks, ignoresLoss: true });
    const { targets } = perceive(spec, freshPerception, { results: [result], samples: [], instances });
    expect(targets.a?.paths).toEqual({});
    expect(targets.a?.checks.page?.verdict).toBe('healthy');
  });
});

describe('crashes', () => {
  const spec = serviceSpec({ name: 'web', checks });
  const seen = (restarts: number, at: number) => {
    const ended = { at, exitCode: 1 };
    const containers = [{ name: 'main', state: 'running', restarts, ...(restarts > 0 && { ended }) }];
    return { results: [], samples: [], instances: [{ uid: 'a', containers }] as unknown as InstanceObservation[] };
  };

  it('are counted though several come between two looks', () => {
    const before = perceive(spec, freshPerception, seen(0, 0));
    const { targets } = perceive(spec, perceive(spec, before, seen(3, 1000)), seen(4, 2000));
    expect(targets.a?.crashes).toEqual([1000, 1000, 1000, 2000]);
  });

  it('from before the first look are not all taken for news', () => {
    const { targets } = perceive(spec, freshPerception, seen(50, 1000));
    expect(targets.a?.crashes).toEqual([1000]);
  });
});
