import { describe, expect, it } from 'vitest';
import { parseKubeletSample } from './kubelet-sample.ts';
import { type NodeTracks, noTracks, track, usageOf } from './usage.ts';

const SECOND = 1_000;
const START = 1_700_000_000_000;

interface Page {
  at: number;
  cpu: number;
  startedAt?: number;
  container?: string;
}

/** A page as the kubelet writes it, with one pod of one container; the node uses twice as much. */
function page({ at, cpu, startedAt = START - 3600 * SECOND, container = 'app' }: Page): string {
  const labels = `{container="${container}",namespace="shop",pod="web"}`;
  return `# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the container in core-seconds
# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total${labels} ${cpu} ${at}
container_memory_working_set_bytes${labels} 1.048576e+06 ${at}
container_start_time_seconds${labels} ${startedAt / 1000}
node_cpu_usage_seconds_total ${2 * cpu} ${at}
node_memory_working_set_bytes 2.097152e+06 ${at}
pod_cpu_usage_seconds_total{namespace="shop",pod="web"} ${cpu} ${at}
resource_scrape_error 0
`;
}

function after(pages: readonly (Page | string)[]) {
  const add = (tracks: NodeTracks, given: Page | string) =>
    track(tracks, parseKubeletSample(typeof given === 'string' ? given : page(given), START));
  const { node, pods } = usageOf(pages.reduce<NodeTracks>(add, noTracks));
  return { node, pod: pods.get('shop/web')?.get('app'), pods };
}

describe('usage', () => {
  it('is the rate between two readings, over the time between them', () => {
    const { node, pod } = after([
      { at: START, cpu: 100 },
      { at: START + 10 * SECOND, cpu: 102.5 },
    ]);
    expect(pod).toEqual({ nanoCores: 250_000_000n, memoryBytes: 1048576n, at: START + 10_000, window: 10_000 });
    expect(node).toMatchObject({ nanoCores: 500_000_000n, memoryBytes: 2097152n });
  });

  it('is not known after one reading', () => {
    expect(after([{ at: START, cpu: 100 }])).toMatchObject({ node: undefined, pod: undefined });
  });

  it('is known after one reading of a container that has just started', () => {
    const { pod, node } = after([{ at: START + 10 * SECOND, cpu: 5, startedAt: START }]);
    expect(pod).toMatchObject({ nanoCores: 500_000_000n, window: 10_000 });
    expect(node).toBeUndefined();
  });

  it('does not change while the kubelet repeats itself', () => {
    const readings = [
      { at: START, cpu: 100 },
      { at: START + 10 * SECOND, cpu: 105 },
    ];
    expect(after([...readings, { at: START + 10 * SECOND, cpu: 105 }])).toEqual(after(readings));
  });

  it('after a counter went back begins anew, and is never negative', () => {
    const readings = [
      { at: START, cpu: 100 },
      { at: START + 10 * SECOND, cpu: 1 },
    ];
    expect(after(readings)).toMatchObject({ pod: undefined, node: undefined });
    expect(after([...readings, { at: START + 20 * SECOND, cpu: 2 }]).pod).toMatchObject({ nanoCores: 100_000_000n });
  });

  it('of a restarted container is what it used since its restart, also when that is more than before', () => {
    const { pod } = after([
      { at: START, cpu: 1 },
      { at: START + 10 * SECOND, cpu: 4, startedAt: START + 2 * SECOND },
    ]);
    expect(pod).toMatchObject({ nanoCores: 500_000_000n, window: 8_000 });
  });

  it('over too short a time is not told', () => {
    expect(
      after([
        { at: START, cpu: 100 },
        { at: START + 5, cpu: 101 },
      ]).pod,
    ).toBeUndefined();
  });

  it('of a pod waits for all of its containers', () => {
    const both = (at: number, cpu: number) => page({ at, cpu }) + page({ at, cpu, container: 'sidecar' });
    const { pods } = after([{ at: START, cpu: 100 }, both(START + 10 * SECOND, 101)]);
    expect(pods.size).toBe(0);
    const later = after([{ at: START, cpu: 100 }, both(START + 10 * SECOND, 101), both(START + 20 * SECOND, 102)]);
    expect([...(later.pods.get('shop/web')?.keys() ?? [])]).toEqual(['app', 'sidecar']);
  });

  it('of what is gone is forgotten', () => {
    const { pods, node } = after([
      { at: START, cpu: 1 },
      { at: START + 10 * SECOND, cpu: 2 },
      'resource_scrape_error 1',
    ]);
    expect(pods.size).toBe(0);
    expect(node).toBeUndefined();
  });
});
