import { describe, expect, it } from 'vitest';
import { settled } from '../../test/support/manual-clock.ts';
import { type Job, job, longWork, stage } from '../../test/support/schedule-stage.ts';
import { PermanentError } from '../controller/permanent-error.ts';
import { generationChanged } from '../controller/predicate.ts';
import { createDaemon, type DaemonOptions } from './daemon.ts';

async function started(options: Partial<DaemonOptions<Job>> = {}) {
  const scene = stage();
  const work = longWork();
  const daemon = createDaemon<Job>({ ...scene.common, run: work.run, ...options });
  return { ...scene, work, daemon, running: await scene.start(daemon) };
}

const startsOf = (lines: readonly string[]) => lines.filter((line) => line.endsWith('begins'));

describe('a daemon', () => {
  it('runs for each object, from when it is there until it is gone', async () => {
    const { jobs, work, diary, daemon } = await started();
    jobs.put(job('a'));
    jobs.put(job('b'));
    await settled();
    expect(Array.from(daemon.running(), ({ key }) => key)).toEqual(['n/a', 'n/b']);
    jobs.remove('n/a');
    expect(work.reasons).toEqual(['tick: Job n/a is no longer attended to: it was deleted']);
    work.finish('n/a');
    await settled();
    expect(diary.lines.at(-1)).toBe('0s n/a stopped');
    expect(Array.from(daemon.running(), ({ key }) => key)).toEqual(['n/b']);
  });

  it('runs for thousands of objects, without a timer each', async () => {
    const { jobs, clock, daemon } = await started();
    for (let i = 0; i < 3000; i++) jobs.put(job(`j${i}`));
    await settled();
    expect(Array.from(daemon.running())).toHaveLength(3000);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['is being deleted', (object: Job) => (object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z')],
    ['no longer matches', (object: Job) => (object.spec = { enabled: false })],
  ])('is told to end when the object %s', async (why, change) => {
    const { jobs, work } = await started({ when: ({ spec }) => spec?.enabled !== false });
    jobs.put(job('a'));
    await settled();
    jobs.change('n/a', (object) => void change(object));
    expect(work.reasons).toEqual([expect.stringContaining(why)]);
  });

  it('is begun again after its backoff when it throws, and soon again if it ran for long', async () => {
    const { clock, jobs, diary } = await started({
      backoff: { first: '1s', longest: '60s' },
      run: async (_, { failures }) => {
        if (failures === 3) await new Promise<void>((resolve) => void clock.setTimeout(resolve, 3_600_000));
        throw new Error('connection lost');
      },
    });
    jobs.put(job('a'));
    await clock.advance('2h');
    expect(startsOf(diary.lines).slice(0, 6)).toEqual([
      '0s n/a begins',
      '1s n/a begins',
      '3s n/a begins',
      '7s n/a begins',
      // After an hour's work its failures of before no longer count.
      '3608s n/a begins',
      '3610s n/a begins',
    ]);
  });

  it('is left alone when it returns', async () => {
    const { clock, jobs, diary } = await started({ run: () => {} });
    jobs.put(job('a'));
    await clock.advance('24h');
    jobs.change('n/a', (object) => {
      object.metadata.generation = 2;
    });
    await settled();
    expect(diary.lines).toEqual(['0s n/a begins', '0s n/a success']);
  });

  it('waits for a change after a permanent error', async () => {
    const { clock, jobs, diary } = await started({
      run: () => {
        throw new PermanentError('no such host');
      },
    });
    jobs.put(job('a'));
    await clock.advance('1h');
    jobs.change('n/a', (object) => {
      object.metadata.labels = { no: 'change of the spec' };
    });
    await settled();
    expect(startsOf(diary.lines)).toHaveLength(1);
    jobs.change('n/a', (object) => {
      object.metadata.generation = 2;
    });
    await settled();
    expect(startsOf(diary.lines)).toEqual(['0s n/a begins', '3600s n/a begins']);
  });

  it('sees the object as it is now', async () => {
    const seen: unknown[] = [];
    const { clock, jobs } = await started({
      run: async (_, { current, signal }) => {
        while (!signal.aborted) {
          seen.push(current()?.spec?.every);
          await new Promise<void>((resolve) => void clock.setTimeout(resolve, 1000));
        }
      },
    });
    jobs.put(job('a', { every: 'old' }));
    await clock.advance('1s');
    jobs.change('n/a', (object) => {
      object.spec = { every: 'new' };
    });
    await clock.advance('1s');
    expect(seen).toEqual(['old', 'old', 'new']);
  });

  it('is ended and begun anew by the changes that it is told of, never two at once', async () => {
    const { jobs, work, diary } = await started({ restartWhen: generationChanged });
    jobs.put(job('a'));
    await settled();
    jobs.change('n/a', (object) => {
      object.metadata.generation = 2;
    });
    await settled();
    expect(work.reasons).toEqual([expect.stringContaining('it changed')]);
    expect(startsOf(diary.lines)).toHaveLength(1);
    work.finish();
    await settled();
    expect(startsOf(diary.lines)).toHaveLength(2);
  });

  it('is another’s for another object of the same name', async () => {
    const { jobs, work, diary } = await started();
    jobs.put(job('a'));
    await settled();
    jobs.put(job('a', {}, { uid: 'another' }));
    expect(work.reasons).toEqual([expect.stringContaining('another of the same name')]);
    work.finish();
    await settled();
    expect(startsOf(diary.lines)).toHaveLength(2);
  });

  it('is told of when it does not end, and never has a second beside it', async () => {
    const { clock, jobs, diary, daemon } = await started({ grace: '10s' });
    jobs.put(job('a'));
    await settled();
    jobs.remove('n/a');
    await clock.advance('10s');
    expect(diary.lines.at(-1)).toBe('10s n/a is stuck');
    jobs.put(job('a'));
    await clock.advance('1h');
    expect(startsOf(diary.lines)).toHaveLength(1);
    expect(Array.from(daemon.running())).toHaveLength(1);
  });

  it('is told to end at once when the operator stops, and given its grace', async () => {
    const { clock, jobs, work, running } = await started();
    jobs.put(job('a'));
    await settled();
    running.stop();
    await settled();
    expect(work.reasons).toEqual(['the operator stops']);
    await clock.advance('5s');
    work.finish();
    await running.ended;
    expect(clock.pending).toBe(0);
  });

  it('can be waited for', async () => {
    const { jobs, work, daemon } = await started();
    jobs.put(job('a'));
    await settled();
    let idle = false;
    const waiting = daemon.untilIdle({ name: 'a', namespace: 'n' }).then(() => {
      idle = true;
    });
    await daemon.untilIdle({ name: 'b', namespace: 'n' });
    jobs.remove('n/a');
    await settled();
    expect(idle).toBe(false);
    work.finish();
    await waiting;
  });

  it('ends when its key is drained, and when it is lost, and begins again when it comes back', async () => {
    const { gate, common, jobs, diary, start } = stage();
    const work = longWork();
    jobs.put(job('a'), true);
    gate.gain('n/a');
    await start(createDaemon<Job>({ ...common, run: work.run, shard: gate }));
    await settled();
    const draining = gate.drain('n/a');
    await settled();
    expect(work.reasons).toEqual([expect.stringContaining('another replica')]);
    work.finish();
    await draining;
    gate.gain('n/a');
    await settled();
    expect(startsOf(diary.lines)).toHaveLength(2);
    gate.lose('n/a');
    expect(work.reasons[1]).toBe('lost');
    gate.gain('n/a');
    await settled();
    expect(startsOf(diary.lines)).toHaveLength(2);
    work.finish();
    await settled();
    expect(startsOf(diary.lines)).toHaveLength(3);
  });
});
