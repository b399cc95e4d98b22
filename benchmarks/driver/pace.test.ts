import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { atPace } from './pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('atPace', () => {
  it('works as often as asked, one call after the other', async () => {
    const calls: number[] = [];
    const done = atPace({ perSecond: 100, seconds: 2, concurrency: 8 }, async (i) => calls.push(i));
    await vi.advanceTimersByTimeAsync(2100);
    await done;
    expect(calls.length).toBeGreaterThanOrEqual(195);
    expect(calls.length).toBeLessThanOrEqual(200);
    expect(calls).toEqual(calls.map((_, i) => i));
  });

  it('never has more under way than it may, and waits for them in the end', async () => {
    let running = 0;
    let most = 0;
    const done = atPace({ perSecond: 1000, seconds: 1, concurrency: 3 }, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 50));
      running--;
    });
    await vi.advanceTimersByTimeAsync(1200);
    await done;
    expect(most).toBe(3);
    expect(running).toBe(0);
  });

  it('stops with the first failure', async () => {
    let calls = 0;
    const done = atPace({ perSecond: 100, seconds: 60, concurrency: 8 }, async () => {
      if (++calls === 3) throw new Error('refused');
    });
    const refused = expect(done).rejects.toThrow('refused');
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
    expect(calls).toBeLessThan(10);
  });
});
