import { describe, expect, it } from 'vitest';
import { settled } from '../../test/support/manual-clock.ts';
import { begin, Job, job, longWork, stage } from '../../test/support/schedule-stage.ts';
import { type CronOptions, createCron } from './cron.ts';
import { rememberInAnnotation, type ScheduleMemory } from './schedule-memory.ts';

const LAST = 'example.com/last-run';
const hours = (clock: { now(): number }) => clock.now() / 3_600_000;

type Jobs = ReturnType<typeof stage>['jobs'];

/** Like the real one, on the test's cache. */
const memoryOn = (jobs: Jobs): ScheduleMemory<Job> =>
  rememberInAnnotation(
    {
      async patch(_type: unknown, { name }: { name: string }, patch: object) {
        const { annotations } = (patch as Job).metadata;
        return jobs.change(`n/${name}`, ({ metadata }) => {
          metadata.annotations = { ...annotations };
        });
      },
    } as never,
    Job,
    LAST,
  );

async function started(
  options: Partial<Omit<CronOptions<Job>, 'memory'>> & { memory?: (jobs: Jobs) => ScheduleMemory<Job> } = {},
  put: (jobs: Jobs) => void = () => {},
) {
  const scene = stage();
  put(scene.jobs);
  const { memory, ...rest } = options;
  /** Hours since the beginning: when it ran, and which time that was for. */
  const runs: string[] = [];
  const cron = createCron<Job>({
    ...scene.common,
    cron: '0 * * * *',
    timeout: false,
    ...rest,
    ...(memory ? { memory: memory(scene.jobs) } : {}),
    run: (object, context) => {
      runs.push(`${context.key} at ${hours(scene.clock)} for ${(context.dueAt - begin) / 3_600_000}`);
      return options.run?.(object, context);
    },
  });
  return { ...scene, cron, runs, running: await scene.start(cron) };
}

describe('a cron schedule', () => {
  it('runs at its times, and not when an object is created', async () => {
    const { clock, jobs, runs } = await started();
    await clock.advance('30m');
    jobs.put(job('a'));
    await clock.advance('2h');
    expect(runs).toEqual(['n/a at 1 for 1', 'n/a at 2 for 2']);
  });

  it('runs in the time zone that it is given', async () => {
    const { clock, runs } = await started({ cron: '0 9 * * *', timeZone: 'Asia/Kolkata' }, (jobs) =>
      jobs.put(job('a')),
    );
    await clock.advance('24h');
    expect(runs).toEqual(['n/a at 3.5 for 3.5']);
  });

  it('takes expression and zone from the object, and follows when they change', async () => {
    const options = { cron: ({ spec }: Job) => spec?.cron, timeZone: ({ spec }: Job) => spec?.zone };
    const { clock, jobs, runs, diary } = await started(options, (each) => {
      each.put(job('a', { cron: '0 6 * * *' }));
      each.put(job('b', { cron: 'whenever' }));
      each.put(job('c', { cron: '* * * * *', zone: 'Mars/Olympus' }));
      each.put(job('d'));
    });
    await clock.advance('5h');
    expect(diary.lines).toEqual([
      expect.stringContaining('0s n/b is bad: cron "whenever"'),
      expect.stringContaining('0s n/c is bad: cron "* * * * *" in time zone "Mars/Olympus"'),
    ]);
    jobs.change('n/a', (object) => {
      object.spec = { cron: '0 6 * * *', zone: 'Europe/Berlin' };
    });
    jobs.change('n/b', (object) => {
      object.spec = { cron: '30 7 * * *' };
    });
    await clock.advance('19h');
    expect(runs).toEqual(['n/b at 7.5 for 7.5']);
    await clock.advance('6h');
    expect(runs.slice(1)).toEqual(['n/a at 29 for 29']);
  });

  it.each([
    [{ cron: 'whenever' }, 'cron "whenever"'],
    [{ timeZone: 'Mars/Olympus' }, 'Mars/Olympus'],
    [{ overlap: 'both' as never }, 'overlap is "both"'],
    [{ missed: 'some' as never }, 'missed is "some"'],
    [{ deadline: 0 }, 'deadline is 0'],
  ])('refuses %o before it has seen an object', (wrong, why) => {
    const { common } = stage();
    expect(() => createCron<Job>({ ...common, cron: '0 * * * *', run: () => {}, ...wrong })).toThrow(why);
  });
});

describe('a run that is still under way when the next is due', () => {
  const overlapping = async (overlap: CronOptions<Job>['overlap'], others: Partial<CronOptions<Job>> = {}) => {
    const work = longWork();
    const { memory: _, ...rest } = others;
    const scene = await started({ ...rest, ...(overlap ? { overlap } : {}), run: work.run }, (jobs) =>
      jobs.put(job('a')),
    );
    await scene.clock.advance('3.5h');
    return { ...scene, work };
  };

  it('makes the next be left out, unless said otherwise', async () => {
    const { clock, runs, diary, work } = await overlapping(undefined);
    expect(runs).toEqual(['n/a at 1 for 1']);
    work.finish();
    await settled();
    expect(diary.lines.at(-2)).toContain('n/a skipped: overlap');
    await clock.advance('30m');
    expect(runs).toEqual(['n/a at 1 for 1', 'n/a at 4 for 4']);
  });

  it('makes the next wait, and of several only the last', async () => {
    const { clock, runs, work } = await overlapping('queue');
    work.finish();
    await settled();
    expect(runs).toEqual(['n/a at 1 for 1', 'n/a at 3.5 for 3']);
    work.finish();
    await clock.advance('30m');
    expect(runs.at(-1)).toBe('n/a at 4 for 4');
  });

  it('makes all of them wait where none may be missed', async () => {
    const { runs, work } = await overlapping('queue', { missed: 'all' });
    for (let i = 0; i < 4; i++) {
      work.finish();
      await settled();
    }
    expect(runs).toEqual(['n/a at 1 for 1', 'n/a at 3.5 for 2', 'n/a at 3.5 for 3']);
  });

  it('is ended, and the next begins when it has', async () => {
    const { runs, work, diary } = await overlapping('replace');
    expect(work.reasons).toEqual(['tick: the next run for Job n/a is due']);
    expect(runs).toEqual(['n/a at 1 for 1']);
    work.finish();
    await settled();
    expect(runs).toEqual(['n/a at 1 for 1', 'n/a at 3.5 for 3']);
    expect(diary.lines).toContain('12600s n/a stopped');
  });
});

describe('runs that were missed', () => {
  const since = (hour: number) => ({ annotations: { [LAST]: new Date(begin + hour * 3_600_000).toISOString() } });

  it('are not made up for without a memory', async () => {
    const { clock, runs } = await started({}, (jobs) => jobs.put(job('a', {}, since(-5)), true));
    await clock.advance('1h');
    expect(runs).toEqual(['n/a at 1 for 1']);
  });

  it('are made up for by one run, for the latest of them', async () => {
    const { clock, jobs, runs } = await started({ cron: '30 * * * *', memory: memoryOn }, (each) =>
      each.put(job('a', {}, since(-5)), true),
    );
    await settled();
    expect(runs).toEqual(['n/a at 0 for -0.5']);
    expect(jobs.get({ name: 'a', namespace: 'n' })?.metadata.annotations).toEqual({
      [LAST]: '2025-12-31T23:30:00.000Z',
    });
    await clock.advance('1h');
    expect(runs.slice(1)).toEqual(['n/a at 0.5 for 0.5']);
  });

  it('are made up for one by one', async () => {
    const { runs } = await started({ cron: '30 * * * *', missed: 'all', memory: memoryOn }, (jobs) =>
      jobs.put(job('a', {}, since(-3)), true),
    );
    await settled();
    expect(runs).toEqual(['n/a at 0 for -2.5', 'n/a at 0 for -1.5', 'n/a at 0 for -0.5']);
  });

  it('are left out, and told of', async () => {
    const { clock, runs, diary } = await started({ cron: '30 * * * *', missed: 'skip', memory: memoryOn }, (jobs) =>
      jobs.put(job('a', {}, since(-3)), true),
    );
    await clock.advance('30m');
    expect(runs).toEqual(['n/a at 0.5 for 0.5']);
    expect(diary.lines[0]).toBe('0s n/a skipped: late');
  });

  it('are left out when they are older than the deadline', async () => {
    const lenient = await started({ cron: '30 * * * *', deadline: '40m', memory: memoryOn }, (jobs) =>
      jobs.put(job('a', {}, since(-3)), true),
    );
    const strict = await started({ cron: '30 * * * *', deadline: '20m', memory: memoryOn }, (jobs) =>
      jobs.put(job('a', {}, since(-3)), true),
    );
    await settled();
    expect([lenient.runs, strict.runs]).toEqual([['n/a at 0 for -0.5'], []]);
  });

  it('count from the creation where there was no run at all', async () => {
    const creationTimestamp = new Date(begin - 2 * 3_600_000).toISOString();
    const { runs } = await started({ cron: '30 * * * *', memory: memoryOn }, (jobs) =>
      jobs.put(job('a', {}, { creationTimestamp }), true),
    );
    await settled();
    expect(runs).toEqual(['n/a at 0 for -0.5']);
  });

  it('are not repeated because one could not be written down', async () => {
    const memory = (jobs: Jobs) => ({ ...memoryOn(jobs), write: () => Promise.reject(new Error('forbidden')) });
    const { clock, runs, diary } = await started({ memory }, (jobs) => jobs.put(job('a')));
    await clock.advance('2h');
    expect(runs).toEqual(['n/a at 1 for 1', 'n/a at 2 for 2']);
    expect(diary.lines).toContain('3600s n/a forgotten: forbidden');
  });

  it('are tried again when they fail, also after their deadline, until the next is due', async () => {
    let failing = true;
    const { clock, runs } = await started(
      {
        missed: 'skip',
        backoff: { first: '10m', longest: '20m', jitter: 0 },
        run: () => {
          if (failing) throw new Error('not yet');
        },
      },
      (jobs) => jobs.put(job('a')),
    );
    await clock.advance('1.6h');
    failing = false;
    await clock.advance('1h');
    expect(runs).toEqual([
      'n/a at 1 for 1',
      expect.stringMatching(/n\/a at 1\.1666\d* for 1/),
      'n/a at 1.5 for 1',
      expect.stringMatching(/n\/a at 1\.8333\d* for 1/),
      'n/a at 2 for 2',
    ]);
  });
});

describe('a wall clock that is set', () => {
  it('forward makes what it passed over due, within a minute', async () => {
    const { clock, runs } = await started({ cron: '0 12 * * *' }, (jobs) => jobs.put(job('a')));
    await clock.advance('10m');
    clock.setDate(begin + 13 * 3_600_000);
    await clock.advance('1m');
    expect(runs).toEqual([expect.stringContaining('for 12')]);
  });

  it('back does not make a run come twice', async () => {
    const { clock, runs } = await started({ cron: '0 12 * * *' }, (jobs) => jobs.put(job('a')));
    await clock.advance('12.5h');
    clock.setDate(begin + 11 * 3_600_000);
    await clock.advance('2h');
    expect(runs).toHaveLength(1);
    await clock.advance('24h');
    expect(runs).toHaveLength(2);
  });
});
