import type { Pod, PodMetrics } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import { metricIn, sharesOf } from './pod-usage.ts';

const now = Date.parse('2026-01-01T00:00:30Z');
const metrics = {
  timestamp: '2026-01-01T00:00:00Z',
  containers: [
    { name: 'a', usage: { cpu: '250m', memory: '64Mi' } },
    { name: 'b', usage: { cpu: '250000000n', memory: '64Mi' } },
  ],
} as unknown as PodMetrics;
const pod = (...resources: object[]) =>
  ({
    spec: { containers: resources.map((one, index) => ({ name: String(index), resources: one })) },
  }) as unknown as Pod;

describe('what a pod uses', () => {
  it('is a share of what all its containers requested', () => {
    const requests = { cpu: '500m', memory: '256Mi' };
    expect(sharesOf(pod({ requests }, { requests }), metrics, 'requests', now)).toEqual({ cpu: 0.5, memory: 0.25 });
  });

  it('is a share of its limits, or of its requests where it has none', () => {
    const both = pod({ requests: { cpu: '1' }, limits: { cpu: '2' } }, { requests: { cpu: '2' } });
    expect(sharesOf(both, metrics, 'limits', now)).toEqual({ cpu: 0.125 });
  });

  it('is not known where a container says nothing, or where the figures are old', () => {
    expect(sharesOf(pod({ requests: { cpu: '1' } }, {}), metrics, 'requests', now)).toEqual({});
    const full = pod({ requests: { cpu: '1' } }, { requests: { cpu: '1' } });
    expect(sharesOf(full, metrics, 'requests', now + 600_000)).toEqual({});
  });
});

describe('a metric that a pod exposes', () => {
  const text =
    '# HELP jobs waiting\n# TYPE jobs gauge\njobs{queue="a b"} 3\njobs{queue="c"} 4.5e0 1700000000\njobs_total 9\n';

  it('is the sum of its series', () => {
    expect(metricIn(text, 'jobs')).toBe(7.5);
    expect(metricIn(text, 'jobs_total')).toBe(9);
  });

  it('is not known where it is not there, or no number', () => {
    expect(metricIn(text, 'job')).toBeUndefined();
    expect(metricIn('jobs NaN\n', 'jobs')).toBeUndefined();
  });
});
