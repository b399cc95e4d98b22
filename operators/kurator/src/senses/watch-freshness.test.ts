import { describe, expect, it } from 'vitest';
import { WatchFreshness } from './watch-freshness.ts';

const watch = {};
const well = (silence: number, troubles = 0) => [[watch, { silence, troubles }] as const];

describe('freshness with the API server', () => {
  it('is as fresh as the last answer while all watches are well, however silent', () => {
    const freshness = new WatchFreshness(0);
    freshness.look(well(50_000), 1000);
    freshness.answered(5000);
    freshness.look(well(55_000), 6000);
    expect(freshness.currentAt()).toBe(5000);
  });

  it('is lost with the answers', () => {
    const freshness = new WatchFreshness(0);
    freshness.answered(5000);
    for (const now of [10_000, 20_000, 60_000]) freshness.look(well(0), now);
    expect(freshness.currentAt()).toBe(5000);
  });

  it('never goes back to an older answer', () => {
    const freshness = new WatchFreshness(0);
    freshness.answered(9000);
    freshness.answered(5000);
    expect(freshness.currentAt()).toBe(9000);
  });

  it('is lost with one watch that can not be begun again, though the server answers', () => {
    const freshness = new WatchFreshness(0);
    freshness.look(well(0), 5000);
    for (let now = 10_000; now <= 100_000; now += 5000) {
      freshness.look(well(now - 5000, now / 5000), now);
      freshness.answered(now);
    }
    expect(freshness.currentAt()).toBe(5000);
  });

  it('is back when the watch is heard of again', () => {
    const freshness = new WatchFreshness(0);
    freshness.look(well(0), 5000);
    freshness.look(well(5000, 1), 10_000);
    freshness.answered(15_000);
    expect(freshness.currentAt()).toBe(5000);
    freshness.look(well(1000, 1), 15_000);
    expect(freshness.currentAt()).toBe(15_000);
  });

  it('is back when a watch that hears nothing has had no trouble for a while', () => {
    const freshness = new WatchFreshness(0);
    freshness.look(well(0), 5000);
    freshness.look(well(5000, 1), 10_000);
    freshness.answered(40_000);
    freshness.look(well(35_000, 1), 40_000);
    expect(freshness.currentAt()).toBe(40_000);
  });
});
