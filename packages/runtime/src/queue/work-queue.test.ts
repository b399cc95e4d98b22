import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Priority } from './priority.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function setUp(options: WorkQueueOptions = {}) {
  const clock = new ManualClock();
  const queue = new WorkQueue({ clock, random: () => 0, ...options });
  return { clock, queue, take: () => queue.take()?.key };
}

describe('adding', () => {
  it('holds a key once, however often it is added', () => {
    const { queue, take } = setUp();
    for (let i = 0; i < 5; i++) queue.add('a');
    expect([take(), take()]).toEqual(['a', undefined]);
    expect(queue.adds).toBe(1);
  });

  it('never gives a key out twice at once; what is added while it runs, runs after', () => {
    const { queue, take } = setUp();
    queue.add('a');
    expect(take()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(take()).toBeUndefined();
    queue.done('a');
    expect([take(), take()]).toEqual(['a', undefined]);
    queue.done('a');
    expect(take()).toBeUndefined();
  });

  it('raises what waits when it is added as more urgent, and never lowers it', () => {
    const { queue, take } = setUp();
    queue.add('low', Priority.resync);
    queue.add('raised', Priority.resync);
    queue.add('raised', Priority.change);
    queue.add('raised', Priority.resync);
    expect(queue.depthByPriority()).toEqual(
      new Map([
        [Priority.change, 1],
        [Priority.resync, 1],
      ]),
    );
    expect([take(), take()]).toEqual(['raised', 'low']);
  });

  it('says how long a key could have been taken', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    await clock.advance(40);
    queue.add('b');
    await clock.advance(2);
    expect(queue.oldestAge()).toBe(42);
    expect(queue.take()).toMatchObject({ key: 'a', waited: 42, priority: Priority.change, failures: 0 });
    expect(queue.oldestAge()).toBe(2);
  });

  it('tells when there is something to take', async () => {
    const told: string[] = [];
    const { clock, queue, take } = setUp({ onReady: () => told.push('ready') });
    queue.addAfter('a', 100);
    expect(told).toEqual([]);
    await clock.advance(100);
    expect(told).toEqual(['ready']);
    take();
    queue.add('a');
    expect(told).toEqual(['ready']);
    queue.done('a');
    expect(told).toEqual(['ready', 'ready']);
  });
});

describe('delays', () => {
  it('lets the earliest time win', async () => {
    const { clock, queue, take } = setUp();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 80);
    await clock.advance(49);
    expect(take()).toBeUndefined();
    await clock.advance(1);
    expect(take()).toBe('a');
    queue.done('a');
    await clock.advance(1000);
    expect(take()).toBeUndefined();
  });

  it('brings what was to come later now, when it is added now', async () => {
    const { clock, queue, take } = setUp();
    queue.addAfter('a', 100);
    queue.add('a');
    expect(take()).toBe('a');
    queue.done('a');
    await clock.advance(1000);
    expect(take()).toBeUndefined();
    expect(queue.delayed).toBe(0);
  });

  it('needs one timer for any number of delays', () => {
    const { clock, queue } = setUp();
    for (let i = 0; i < 1000; i++) queue.addAfter(`k${i}`, 1000 - i);
    expect(queue.delayed).toBe(1000);
    expect(clock.pending).toBe(1);
    expect(clock.next).toBe(1);
  });

  it('waits longer than the longest timer there is', async () => {
    const { clock, queue, take } = setUp();
    const month = 30 * 86_400_000;
    queue.addAfter('a', month);
    await clock.advance(month - 1);
    expect(take()).toBeUndefined();
    await clock.advance(1);
    expect(take()).toBe('a');
  });

  it('holds a delayed key back while it runs', async () => {
    const { clock, queue, take } = setUp();
    queue.add('a');
    take();
    queue.addAfter('a', 10);
    await clock.advance(20);
    expect(take()).toBeUndefined();
    queue.done('a');
    expect(take()).toBe('a');
  });
});

describe('failures', () => {
  const fail = (queue: WorkQueue, key: string) => {
    queue.take();
    const wait = queue.retry(key, new Error('broken'));
    queue.done(key);
    return wait;
  };

  it('waits twice as long after each failure, up to the longest wait, and starts anew after a success', async () => {
    const { clock, queue, take } = setUp({ backoff: { first: 10, longest: 50 } });
    queue.add('a');
    for (const wait of [10, 20, 40, 50, 50]) {
      expect(fail(queue, 'a')).toBe(wait);
      await clock.advance(wait - 1);
      expect(queue.depth).toBe(0);
      await clock.advance(1);
      expect(queue.depth).toBe(1);
    }
    expect(take()).toBe('a');
    queue.forget('a');
    queue.done('a');
    queue.add('a');
    expect(fail(queue, 'a')).toBe(10);
  });

  it('spreads the retries of many keys, so that they do not come back all at once', () => {
    const { queue } = setUp({ backoff: { first: 1 }, retryRate: { perSecond: 10, burst: 2 } });
    const waits = ['a', 'b', 'c', 'd'].map((key) => {
      queue.add(key);
      return fail(queue, key);
    });
    expect(waits).toEqual([1, 1, 100, 200]);
  });

  it('can do without that limit', () => {
    const { queue } = setUp({ backoff: { first: 1 }, retryRate: false });
    for (let i = 0; i < 1000; i++) {
      queue.add(`k${i}`);
      expect(fail(queue, `k${i}`)).toBe(1);
    }
  });

  it('waits as long as the server asked for', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.take();
    expect(queue.retry('a', new Error('busy'), 7000)).toBe(7000);
  });

  it('lets a change cut a long backoff short, but not below a second since the failure', async () => {
    const { clock, queue, take } = setUp({ backoff: { first: '1m' } });
    queue.add('a');
    fail(queue, 'a');
    await clock.advance(400);
    queue.add('a');
    expect(take()).toBeUndefined();
    await clock.advance(600);
    expect(take()).toBe('a');
  });

  it('rests after a failure even if the failing reconcile itself changes the object each time', async () => {
    const { clock, queue } = setUp({ backoff: { first: 10 } });
    let runs = 0;
    queue.add('a');
    for (let ms = 0; ms < 60_000; ms += 10) {
      if (queue.take()) {
        runs++;
        queue.add('a');
        queue.retry('a', new Error('always'));
        queue.done('a');
        queue.add('a');
      }
      await clock.advance(10);
    }
    expect(runs).toBeLessThan(70);
  });

  it('gives up until it is added, when only a change can help', async () => {
    const { clock, queue, take } = setUp();
    queue.add('a');
    queue.take();
    queue.giveUp('a', new Error('nonsense'));
    queue.done('a');
    await clock.advance(1_000_000);
    expect(take()).toBeUndefined();
    queue.add('a');
    expect(queue.take()).toMatchObject({ key: 'a', failures: 1 });
  });

  it('remembers why a key failed last, briefly, and forgets it with the success', () => {
    const { queue } = setUp();
    for (const key of ['a', 'b']) queue.add(key);
    queue.take();
    queue.retry('a', new Error('x'.repeat(10_000)));
    queue.retry('a', { odd: true });
    queue.retry('b', new Error('b broke'));
    expect(queue.failing(10)).toEqual([
      { key: 'b', failures: 1, failedAt: 0, error: 'b broke' },
      { key: 'a', failures: 2, failedAt: 0, error: '{ odd: true }' },
    ]);
    expect(queue.failing(1)).toHaveLength(1);
    queue.forget('b');
    expect(queue.failing(10).map(({ key }) => key)).toEqual(['a']);
  });
});

describe('removing', () => {
  it('takes a key out wherever it waits', async () => {
    const { clock, queue, take } = setUp();
    queue.add('waiting');
    queue.addAfter('delayed', 10);
    for (const key of ['waiting', 'delayed', 'unknown']) queue.remove(key);
    expect(clock.pending).toBe(0);
    await clock.advance(100);
    expect(take()).toBeUndefined();
  });

  it('keeps one that runs from running again', () => {
    const { queue, take } = setUp();
    queue.add('a');
    take();
    queue.add('a');
    queue.remove('a');
    queue.done('a');
    expect(take()).toBeUndefined();
  });
});

describe('shutting down', () => {
  it('drops what waits, and waits for what runs', async () => {
    const { clock, queue, take } = setUp();
    queue.add('running');
    queue.add('waiting');
    queue.addAfter('delayed', 10);
    take();
    queue.add('running');
    const drained = queue.drain(1000);
    queue.add('late');
    expect(take()).toBeUndefined();
    queue.done('running');
    expect(await drained).toEqual([]);
    expect(take()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('tells what does not end in time', async () => {
    const { clock, queue } = setUp();
    for (const key of ['a', 'b']) queue.add(key);
    queue.take();
    queue.take();
    const drained = queue.drain(1000);
    queue.done('a');
    await clock.advance(1000);
    expect(await drained).toEqual(['b']);
  });

  it('lets several wait, each for as long as it likes', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.take();
    const [patient, impatient] = [queue.drain(60_000), queue.drain(10)];
    await clock.advance(10);
    expect(await impatient).toEqual(['a']);
    queue.done('a');
    expect(await patient).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is quick when nothing runs', async () => {
    const { queue } = setUp();
    expect(await queue.drain(1000)).toEqual([]);
  });
});

describe('looking from outside', () => {
  it('lists what runs, and what comes next', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    await clock.advance(5);
    queue.take();
    queue.add('low', Priority.resync);
    queue.add('high');
    queue.addAfter('later', 50);
    queue.addAfter('soon', 20);
    expect(queue.running()).toEqual([{ key: 'a', since: 5 }]);
    expect(queue.queued(3)).toEqual([
      { key: 'high', priority: Priority.change, readyAt: 5 },
      { key: 'low', priority: Priority.resync, readyAt: 5 },
      { key: 'soon', priority: Priority.retry, readyAt: 25 },
    ]);
    expect(queue).toMatchObject({ depth: 2, delayed: 2, adds: 3, retries: 2 });
  });
});
