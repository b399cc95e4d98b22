import { describe, expect, it } from 'vitest';
import { settled } from '../../test/support/manual-clock.ts';
import { begin, type Job, job, longWork, stage } from '../../test/support/schedule-stage.ts';
import { PermanentError } from '../controller/permanent-error.ts';
import { createTimer, type TimerOptions } from './timer.ts';

async function started(
  options: Partial<TimerOptions<Job>> = {},
  put: (jobs: ReturnType<typeof stage>['jobs']) => void = () => {},
) {
  const scene = stage();
  put(scene.jobs);
  const runs: string[] = [];
  const timer = createTimer<Job>({
    ...scene.common,
    every: '30s',
    jitter: 0,
    ...options,
    run: (object, context) => {
      runs.push(`${scene.clock.now() / 1000}s ${context.key}`);
      return options.run?.(object, context);
    },
  });
  return { ...scene, timer, runs, running: await scene.start(timer) };
}

describe('a timer', () => {
  it('runs when an object is created, and every interval after that', async () => {
    const { clock, jobs, runs } = await started();
    jobs.put(job('a'));
    await clock.advance('90s');
    expect(runs).toEqual(['0s n/a', '30s n/a', '60s n/a', '90s n/a']);
  });

  it('keeps to the grid of the creation after a restart, instead of running all at once', async () => {
    const created = (secondsAgo: number) => ({ creationTimestamp: new Date(begin - secondsAgo * 1000).toISOString() });
    const { clock, runs } = await started({}, (jobs) => {
      jobs.put(job('a', {}, created(70)), true);
      jobs.put(job('b', {}, created(15)), true);
    });
    await clock.advance('45s');
    expect(runs).toEqual(['15s n/b', '20s n/a', '45s n/b']);
  });

  it('leaves out the ticks that a run takes too long for', async () => {
    const work = longWork();
    const { clock, jobs, runs } = await started({ run: work.run });
    jobs.put(job('a'));
    await clock.advance('70s');
    work.finish();
    await clock.advance('30s');
    expect(runs).toEqual(['0s n/a', '90s n/a']);
  });

  it('does not drift, however long runs take', async () => {
    const scene = await started({});
    const { clock, jobs, runs } = scene;
    jobs.put(job('a'));
    for (let i = 0; i < 20; i++) await clock.advance(Math.floor(i * 777) % 9_000);
    const seconds = runs.map((run) => Number.parseFloat(run));
    expect(seconds.every((each) => each % 30 === 0)).toBe(true);
    expect(seconds.length).toBe(Math.floor(clock.now() / 30_000) + 1);
  });

  it('needs one timer for any number of objects', async () => {
    const { clock, runs } = await started({ jitter: 1, concurrency: 100 }, (jobs) => {
      for (let i = 0; i < 5000; i++) jobs.put(job(`j${i}`), true);
    });
    await settled();
    // Its own, and the one that watches for runs that take too long.
    expect(clock.pending).toBeLessThanOrEqual(2);
    await clock.advance('30s');
    expect(new Set(runs.map((run) => run.split(' ')[1])).size).toBe(5000);
    // Spread over the interval, not all at once.
    expect(new Set(runs.map((run) => Math.floor(Number.parseFloat(run)))).size).toBe(30);
  });

  it('tries again after a failure, sooner than the next tick, and forgets it after a success', async () => {
    let failing = 2;
    const { clock, jobs, diary } = await started({
      run: () => {
        if (failing-- > 0) throw new Error('not yet');
      },
    });
    jobs.put(job('a'));
    await clock.advance('31s');
    expect(diary.lines).toEqual([
      '0s n/a begins',
      '0s n/a error: not yet',
      '1s n/a begins',
      '1s n/a error: not yet',
      '3s n/a begins',
      '3s n/a success',
      '30s n/a begins',
      '30s n/a success',
    ]);
  });

  it('does not wait longer for a retry than for the next tick', async () => {
    const { clock, jobs, runs } = await started({
      every: '5s',
      backoff: { first: '60s', longest: '60s' },
      run: () => {
        throw new Error('never');
      },
    });
    jobs.put(job('a'));
    await clock.advance('10s');
    expect(runs).toEqual(['0s n/a', '5s n/a', '10s n/a']);
  });

  it.each([
    ['it is told not to retry', { retry: false, error: new Error('no') }],
    ['the error is permanent', { retry: true, error: new PermanentError('no') }],
  ])('waits for the next tick when %s', async (_, { retry, error }) => {
    const { clock, jobs, runs } = await started({
      retry,
      run: () => {
        throw error;
      },
    });
    jobs.put(job('a'));
    await clock.advance('30s');
    expect(runs).toEqual(['0s n/a', '30s n/a']);
  });

  it('lets no object keep another waiting', async () => {
    const work = longWork();
    const { clock, jobs, runs } = await started({
      concurrency: 2,
      run: (object, context) => (object.metadata.name === 'a' ? work.run(object, context) : undefined),
    });
    for (const name of ['a', 'b', 'c']) jobs.put(job(name));
    await clock.advance('30s');
    expect(runs).toEqual(['0s n/a', '0s n/b', '0s n/c', '30s n/b', '30s n/c']);
  });

  it('runs no more at once than it may', async () => {
    const work = longWork();
    const { jobs, runs, timer } = await started({ concurrency: 2, run: work.run });
    for (const name of ['a', 'b', 'c']) jobs.put(job(name));
    await settled();
    expect(runs).toEqual(['0s n/a', '0s n/b']);
    expect(Array.from(timer.running(), ({ key }) => key)).toEqual(['n/a', 'n/b']);
    work.finish('n/a');
    await settled();
    expect(runs).toHaveLength(3);
  });

  it('follows an interval of the object’s own, and tells of one that makes no sense, once', async () => {
    const { clock, jobs, runs, diary } = await started({ every: ({ spec }) => spec?.every });
    jobs.put(job('a', { every: '10s' }));
    jobs.put(job('b', { every: 'often' }));
    jobs.put(job('c'));
    await clock.advance('20s');
    jobs.change('n/b', (object) => {
      object.metadata.labels = { still: 'wrong' };
    });
    expect(runs).toEqual(['0s n/a', '10s n/a', '20s n/a']);
    expect(diary.lines.filter((line) => line.includes('bad'))).toEqual([
      '0s n/b is bad: every: "often" is not a duration',
    ]);
    jobs.change('n/a', (object) => {
      object.spec = { every: '60s' };
    });
    jobs.change('n/b', (object) => {
      object.spec = { every: '25s' };
    });
    await clock.advance('55s');
    expect(runs.slice(3)).toEqual(['25s n/b', '50s n/b', '60s n/a', '75s n/b']);
  });

  it('stops with the object: deleted, being deleted, or no longer matching', async () => {
    const { clock, jobs, runs } = await started({ when: ({ spec }) => spec?.enabled !== false });
    for (const name of ['a', 'b', 'c', 'd']) jobs.put(job(name));
    await settled();
    jobs.remove('n/a');
    jobs.change('n/b', (object) => {
      object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    });
    jobs.change('n/c', (object) => {
      object.spec = { enabled: false };
    });
    await clock.advance('30s');
    expect(runs.slice(4)).toEqual(['30s n/d']);
    jobs.change('n/c', (object) => {
      object.spec = { enabled: true };
    });
    await settled();
    expect(runs.at(-1)).toBe('30s n/c');
  });

  it('puts off its runs while the object is being worked on', async () => {
    const { clock, jobs, runs } = await started({ idle: '10s' });
    jobs.put(job('a'));
    await clock.advance('8s');
    jobs.change('n/a', (object) => {
      object.metadata.generation = 2;
    });
    await clock.advance('1s');
    jobs.change('n/a', (object) => {
      object.metadata.labels = { no: 'change of the spec' };
    });
    await clock.advance('21s');
    expect(runs).toEqual(['18s n/a', '30s n/a']);
  });

  it('ends a run that takes too long, and tells of one that goes on nevertheless', async () => {
    const work = longWork();
    const { clock, jobs, diary, runs } = await started({ run: work.run, timeout: '5s', grace: '10s', concurrency: 1 });
    jobs.put(job('a'));
    jobs.put(job('b'));
    await clock.advance('14s');
    expect(work.reasons).toEqual([expect.stringContaining('took longer than 5s')]);
    expect(runs).toEqual(['0s n/a']);
    await clock.advance('1s');
    // Its place is given to another.
    expect(runs).toEqual(['0s n/a', '15s n/b']);
    expect(diary.lines).toContain('15s n/a is stuck');
    work.finish('n/a');
    await settled();
    expect(diary.lines.at(-1)).toBe('15s n/a timeout');
  });

  it('tells of a condition that throws, and leaves the object as it was', async () => {
    let broken = false;
    const { clock, jobs, runs, diary } = await started({
      when: () => {
        if (broken) throw new Error('broken');
        return true;
      },
    });
    jobs.put(job('a'));
    await settled();
    broken = true;
    jobs.change('n/a', () => {});
    await clock.advance('30s');
    expect(runs).toEqual(['0s n/a', '30s n/a']);
    expect(diary.lines).toContain('0s source: broken');
  });

  it('lets runs end when it stops, begins no more, and breaks them off when there is no time left', async () => {
    const work = longWork();
    const { clock, jobs, runs, running } = await started({ run: work.run, grace: '1s' });
    for (const name of ['a', 'b']) jobs.put(job(name));
    await settled();
    running.stop();
    await clock.advance('60s');
    work.finish('n/a');
    await settled();
    expect(work.reasons).toEqual([]);
    running.abort();
    await settled();
    expect(work.reasons).toEqual(['the operator stops']);
    await clock.advance('1s');
    await expect(running.ended).rejects.toMatchObject({
      code: 'KUR_RUNTIME_DRAIN_TIMEOUT',
      message: expect.stringContaining('n/b'),
    });
    expect(runs).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it.each([
    [{ every: 0 }, 'no interval'],
    [{ every: 'often' }, 'not a duration'],
    [{ jitter: 2 }, 'jitter is 2'],
    [{ concurrency: 0 }, 'concurrency is 0'],
    [{ timeout: 0 }, 'timeout is 0'],
    [{ idle: 'long' }, 'idle'],
    [{ backoff: { first: '10m' } }, 'backoff'],
    [{ name: '' }, 'needs a name'],
  ])('refuses %o', (wrong, why) => {
    const { common } = stage();
    expect(() => createTimer<Job>({ ...common, every: '1s', run: () => {}, ...wrong })).toThrow(why);
  });
});

describe('a timer of a sharded kind', () => {
  it('runs for keys that are held, from when they are gained until they are drained', async () => {
    const { gate, ...rest } = stage();
    const { common, clock, jobs } = rest;
    const runs: string[] = [];
    const work = longWork();
    jobs.put(job('a'), true);
    jobs.put(job('b'), true);
    gate.gain('n/a');
    const run = (object: Job, context: Parameters<typeof work.run>[1]) => {
      runs.push(`${clock.now() / 1000}s ${context.key}`);
      return object.metadata.name === 'b' ? work.run(object, context) : undefined;
    };
    const timer = createTimer<Job>({ ...common, every: '30s', jitter: 0, shard: gate, run });
    await rest.start(timer);
    await clock.advance('30s');
    expect(runs).toEqual(['30s n/a']);
    gate.gain('n/b');
    await gate.drain('n/a');
    await clock.advance('30s');
    expect(runs).toEqual(['30s n/a', '60s n/b']);
    // What is under way may end before the key is another's.
    let drained = false;
    void gate.drain('n/b').then(() => {
      drained = true;
    });
    await clock.advance('60s');
    expect([drained, work.reasons]).toEqual([false, []]);
    work.finish('n/b');
    await settled();
    expect(drained).toBe(true);
  });
});
