import type { KubernetesObject } from '@kurator/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timerRhythm } from './timer-rhythm.ts';

const object = (uid: string, created: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'x', uid, creationTimestamp: new Date(created).toISOString() },
});
const second = (max: number) => fc.nat(max).map((value) => value * 1000);
const ticks = (rhythm: ReturnType<typeof timerRhythm>, of: KubernetesObject, from: number, count: number) => {
  const times = [rhythm.first(of, from, false) ?? Number.NaN];
  while (times.length < count) {
    const due = times.at(-1) ?? 0;
    times.push(rhythm.next(of, { due, startedAt: due, endedAt: due }).due ?? Number.NaN);
  }
  return times;
};

describe('the ticks of a timer', () => {
  it('are an interval apart, whenever one begins to look: a restart shifts nothing', () => {
    const lengths = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(fc.uuid(), second(1e9), lengths, second(1e6), second(1e6), (uid, created, every, late, later) => {
        const rhythm = timerRhythm<KubernetesObject>({ every, jitter: 1 });
        const thing = object(uid, created);
        const [first = 0, ...others] = ticks(rhythm, thing, created + late, 5);
        expect(first).toBeGreaterThan(created + late);
        expect(first).toBeLessThanOrEqual(created + late + every + 1e-3);
        for (const [index, tick] of others.entries()) expect(tick).toBeCloseTo(first + (index + 1) * every, 2);
        // The same grid from any other moment.
        const [again = 0] = ticks(rhythm, thing, created + late + later, 1);
        expect(Math.abs((again - first) / every - Math.round((again - first) / every))).toBeLessThan(1e-3);
      }),
    );
  });

  it('are spread over the jitter, evenly over objects that were created together', () => {
    const rhythm = timerRhythm<KubernetesObject>({ every: '100s', jitter: 0.5 });
    const offsets = Array.from({ length: 1000 }, (_, i) => {
      const [tick = 0] = ticks(rhythm, object(`uid-${i}`, 0), 1_000_000_000, 1);
      return (tick - 1_000_000_000) / 1000;
    });
    expect(Math.max(...offsets.filter((offset) => offset < 100))).toBeLessThanOrEqual(50);
    const tenths = Array.from({ length: 10 }, (_, i) => offsets.filter((o) => o >= i * 5 && o < (i + 1) * 5).length);
    for (const count of tenths) expect(count).toBeGreaterThan(60);
  });

  it('begin at once for what is new, and need no time of creation', () => {
    const rhythm = timerRhythm<KubernetesObject>({ every: '30s', jitter: 0 });
    expect(rhythm.first(object('a', 0), 12_345, true)).toBe(12_345);
    const bare = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' } };
    expect(rhythm.first(bare, 12_345, false)).toBe(30_000);
  });

  it('are the object’s own, or none', () => {
    const rhythm = timerRhythm<KubernetesObject>({ every: ({ metadata }) => metadata.annotations?.every, jitter: 0 });
    const thing = (every?: string) => ({
      ...object('a', 0),
      metadata: { name: 'x', ...(every && { annotations: { every } }) },
    });
    expect(rhythm.first(thing('10s'), 1_000, false)).toBe(10_000);
    expect(rhythm.first(thing(), 1_000, false)).toBeUndefined();
    expect(rhythm.first(thing(), 1_000, true)).toBeUndefined();
    expect(() => rhythm.first(thing('often'), 1_000, false)).toThrow('not a duration');
    expect(() => rhythm.first(thing('0'), 1_000, true)).toThrow('no interval');
  });
});
