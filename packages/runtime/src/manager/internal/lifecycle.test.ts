import { describe, expect, it } from 'vitest';
import { ManualClock, settled } from '../../../test/support/manual-clock.ts';
import { fired } from '../../clock.ts';
import { RuntimeError } from '../../error.ts';
import { silentLogger } from '../../insight/late-logger.ts';
import type { RunContext, Runnable, Stage } from '../runnable.ts';
import type { HttpServer } from './http-server.ts';
import { type Lead, unrivalled } from './lead.ts';
import { Lifecycle } from './lifecycle.ts';

function setUp(lead: Partial<Lead> = {}) {
  const clock = new ManualClock();
  const story: string[] = [];
  const tell = (what: string) => void story.push(what);
  const server: Pick<HttpServer, 'listen' | 'close'> = {
    listen: async () => {
      tell('server up');
      return 'http://here';
    },
    close: async () => tell('server down'),
  };
  const lifecycle = new Lifecycle({
    clock,
    logger: silentLogger,
    drain: 10_000,
    signals: true,
    server,
    onStart: () => tell('start'),
    onStopped: async () => tell('events told'),
  });
  const add = (name: string, stage: Stage, parts: Partial<Runnable> = {}) =>
    lifecycle.add(
      {
        name,
        async run({ stop }) {
          tell(`${name} up`);
          await fired(stop);
          tell(`${name} down`);
        },
        ...parts,
      },
      stage,
    );
  const run = (signal?: AbortSignal) =>
    lifecycle.run(
      {
        ...unrivalled,
        end: async (release) => tell(release ? 'lease given back' : 'lease left to run out'),
        ...lead,
      },
      signal,
    );
  return { clock, story, tell, lifecycle, add, run };
}

async function forever({ abort }: RunContext): Promise<void> {
  await fired(abort);
  await new Promise(() => {});
}

describe('a lifecycle', () => {
  it('starts in order, waits for what others count on, and stops the other way round', async () => {
    const { lifecycle, add, run, story, tell, clock } = setUp();
    const synced = Promise.withResolvers<void>();
    add('controller', 'leader');
    add('task', 'background');
    add('cache', 'cache', { ready: () => synced.promise });
    add('webhook', 'webhook', { ready: async () => tell('webhook ready') });
    const running = run();
    await settled();
    expect(await lifecycle.url()).toBe('http://here');
    expect(story).toEqual(['start', 'server up', 'webhook up', 'webhook ready', 'cache up']);
    expect(lifecycle.phase).toBe('starting');
    synced.resolve();
    await settled();
    expect(lifecycle.phase).toBe('running');
    story.length = 0;
    lifecycle.stop('enough');
    await running;
    expect(story).toEqual([
      'controller down',
      'lease given back',
      'task down',
      'cache down',
      'webhook down',
      'events told',
      'server down',
    ]);
    expect(lifecycle.phase).toBe('stopped');
    expect(clock.pending).toBe(0);
  });

  it('starts what only a leader may do once it leads, and keeps the rest warm before', async () => {
    const elected = Promise.withResolvers<void>();
    const { lifecycle, add, run, story } = setUp({ won: () => elected.promise });
    add('cache', 'cache');
    add('controller', 'leader');
    const running = run();
    await settled();
    expect(lifecycle.phase).toBe('standby');
    expect(story).toContain('cache up');
    expect(story).not.toContain('controller up');
    elected.resolve();
    await settled();
    expect(story).toContain('controller up');
    lifecycle.stop('enough');
    await running;
  });

  it('never starts it in a replica that is stopped, not even in the moment of its election', async () => {
    const elected = Promise.withResolvers<void>();
    const { lifecycle, add, run, story } = setUp({ won: () => elected.promise });
    add('controller', 'leader');
    const running = run();
    await settled();
    elected.resolve();
    lifecycle.stop('enough');
    await running;
    expect(story).not.toContain('controller up');
  });

  it('can be stopped while it waits for a cache', async () => {
    const { add, run, story } = setUp();
    const end = new AbortController();
    add('cache', 'cache', { ready: (signal) => fired(signal).then(() => signal.throwIfAborted()) });
    add('task', 'background');
    const running = run(end.signal);
    await settled();
    end.abort();
    await running;
    expect(story).toEqual([
      'start',
      'server up',
      'cache up',
      'lease given back',
      'cache down',
      'events told',
      'server down',
    ]);
  });

  it('ends with the failure of a runnable, and stops the others', async () => {
    const { add, run, story } = setUp();
    const cause = new Error('boom');
    add('cache', 'cache');
    add('task', 'background', { run: () => Promise.reject(cause) });
    await expect(run()).rejects.toMatchObject({
      code: 'KUR_RUNTIME_RUNNABLE_FAILED',
      message: 'task failed: boom',
      cause,
    });
    expect(story).toContain('cache down');
    expect(story.at(-1)).toBe('server down');
  });

  it('ends when something does not become ready', async () => {
    const { add, run } = setUp();
    add('webhook', 'webhook', { ready: () => Promise.reject(new Error('no certificate')) });
    await expect(run()).rejects.toMatchObject({
      code: 'KUR_RUNTIME_NOT_STARTED',
      message: 'could not start: no certificate',
    });
  });

  it('lets something that ends early end', async () => {
    const { lifecycle, add, run } = setUp();
    add('task', 'background', { run: async () => {} });
    const running = run();
    await settled();
    lifecycle.stop('enough');
    await running;
  });

  it('gives the controllers time to drain, and keeps the lead for them meanwhile', async () => {
    const { clock, lifecycle, add, run, story, tell } = setUp();
    add('controller', 'leader', {
      async run({ stop, remaining }) {
        await fired(stop);
        tell(`${remaining()} ms`);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 5_000));
        tell('drained');
      },
    });
    const running = run();
    await settled();
    lifecycle.stop('enough');
    await clock.advance(4_000);
    expect(story.at(-1)).toBe('7500 ms');
    await clock.advance(1_000);
    await running;
    expect(story.slice(-4)).toEqual(['drained', 'lease given back', 'events told', 'server down']);
  });

  it('breaks off what does not drain in time, names it, and does not give the lead to another beside it', async () => {
    const { clock, lifecycle, add, run, story } = setUp();
    add('controller', 'leader', { run: forever });
    const running = run();
    await settled();
    lifecycle.stop('enough');
    const failed = expect(running).rejects.toMatchObject({
      code: 'KUR_RUNTIME_DRAIN_TIMEOUT',
      message: expect.stringContaining('controller'),
    });
    await clock.advance(8_500);
    await failed;
    expect(story.slice(-3)).toEqual(['lease left to run out', 'events told', 'server down']);
  });

  it('believes a runnable that says that not all of it has ended', async () => {
    const { lifecycle, add, run, story } = setUp();
    add('controller', 'leader', {
      async run({ stop }) {
        await fired(stop);
        throw new RuntimeError('KUR_RUNTIME_DRAIN_TIMEOUT', 'still reconciling a/b');
      },
    });
    const running = run();
    await settled();
    lifecycle.stop('enough');
    await expect(running).rejects.toThrow('controller (still reconciling a/b)');
    expect(story).toContain('lease left to run out');
  });

  it('breaks off at once when the lead is lost', async () => {
    const { lifecycle, add, run, story } = setUp();
    let aborted = false;
    add('controller', 'leader', {
      run: async ({ abort }) => {
        abort.addEventListener('abort', () => {
          aborted = true;
        });
        await fired(abort);
      },
    });
    const running = run();
    await settled();
    lifecycle.lose(new RuntimeError('KUR_RUNTIME_LEADERSHIP_LOST', 'gone'));
    expect(aborted).toBe(true);
    await expect(running).rejects.toMatchObject({ code: 'KUR_RUNTIME_LEADERSHIP_LOST' });
    expect(story).toContain('lease left to run out');
  });

  it('stops in order at the first signal, and at once at the second', async () => {
    const { add, run, story } = setUp();
    add('controller', 'leader', { run: forever });
    const before = process.listenerCount('SIGTERM');
    const running = run();
    await settled();
    process.emit('SIGTERM');
    await settled();
    process.emit('SIGINT');
    await expect(running).rejects.toMatchObject({ code: 'KUR_RUNTIME_FORCED' });
    expect(story.slice(-2)).toEqual(['lease left to run out', 'server down']);
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('starts at once what is added late', async () => {
    const { lifecycle, add, run, story } = setUp();
    const running = run();
    await settled();
    add('task', 'background');
    expect(story).toContain('task up');
    lifecycle.stop('enough');
    await running;
    expect(story).toContain('task down');
  });

  it('runs once', async () => {
    const { lifecycle, run } = setUp();
    const running = run();
    lifecycle.stop('enough');
    await running;
    await expect(run()).rejects.toMatchObject({ code: 'KUR_RUNTIME_STARTED_TWICE' });
  });
});
