import { describe, expect, it } from 'vitest';
import { atSize, inOrder, unitOf } from './metrics.ts';

describe('metrics', () => {
  it('names figures of another size by that size', () => {
    expect(atSize({ converge_s: 1, converge_peak_rss: 2 }, 300)).toEqual({
      converge_s_300: 1,
      converge_peak_rss_300: 2,
    });
  });

  it('measures every size of a metric in its unit', () => {
    expect(unitOf('cache_rss')).toBe('MiB');
    expect(unitOf('cache_rss_60000')).toBe('MiB');
    expect(unitOf('latency_p99_ms')).toBe('ms');
  });

  it('knows no other metrics', () => {
    expect(() => unitOf('speed')).toThrow('there is no metric "speed"');
  });

  it('lists each metric once, sizes beside each other', () => {
    const found = ['cache_rss', 'converge_s_9000', 'start_s', 'converge_s_300', 'converge_s', 'start_s'];
    expect(inOrder(found)).toEqual(['start_s', 'converge_s', 'converge_s_300', 'converge_s_9000', 'cache_rss']);
  });
});
