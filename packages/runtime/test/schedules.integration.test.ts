// Schedules against a real API server: tied to the life of real objects, and remembered on them.
import { ConfigMap, Lease, waitFor } from '@kurator/client';
import { eventually, ManualClock, type TestScope, testScope } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';
import { createManager, type Manager } from '../src/manager/manager.ts';
import { createCron } from '../src/schedules/cron.ts';
import { createDaemon } from '../src/schedules/daemon.ts';
import type { Schedule } from '../src/schedules/schedule.ts';
import { rememberInAnnotation } from '../src/schedules/schedule-memory.ts';
import { createTimer } from '../src/schedules/timer.ts';

interface Place {
  readonly manager: Manager;
  readonly common: { name: string; for: ReturnType<typeof cacheOf> };
  create(name: string, labels?: Record<string, string>): Promise<ConfigMap>;
  start(...schedules: Schedule[]): void;
}

const cacheOf = (manager: Manager, namespace: string) =>
  manager.caches.of(ConfigMap, { namespace, labelSelector: 'scheduled' });

function placeIn({ client, namespace, run }: TestScope, leaderElection?: { lease: string }): Place {
  const manager = createManager({
    client,
    http: false,
    signals: false,
    logger: quiet,
    ...(leaderElection ? { leaderElection: { ...leaderElection, namespace } } : {}),
  });
  const common = { name: 'tick', for: cacheOf(manager, namespace) };
  return {
    manager,
    common,
    create: (name, labels = {}) =>
      client.create(ConfigMap, { metadata: { name, namespace, labels: { scheduled: 'yes', ...labels } } }),
    start(...schedules) {
      for (const schedule of schedules) manager.add(schedule, 'leader');
      run((signal) => manager.run(signal));
    },
  };
}

const nothing = () => {};
const quiet = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
  child: () => quiet,
} as never;

describe('a timer', () => {
  it('runs for real objects until they are deleted, and needs no finalizer for that', async () => {
    await using test = await testScope('timer');
    const { common, create, start } = placeIn(test);
    const runs = new Map<string, number>();
    start(
      createTimer({
        ...common,
        every: 50,
        run: (_, { key }) => runs.set(key, (runs.get(key) ?? 0) + 1),
      }),
    );
    const [a, b] = [await create('a'), await create('b')];
    const count = ({ metadata }: ConfigMap) => runs.get(`${test.namespace}/${metadata.name}`) ?? 0;
    await eventually(() => expect([count(a) > 2, count(b) > 2]).toEqual([true, true]));
    expect(a.metadata.finalizers).toBeUndefined();
    await test.client.delete(ConfigMap, { name: 'a', namespace: test.namespace });
    // Nothing more comes for what is gone, while much comes for the other.
    await eventually(async () => {
      const before = [count(a), count(b)];
      await eventually(() => count(b) > (before[1] ?? 0) + 5);
      expect(count(a)).toBe(before[0]);
    });
  });
});

describe('a cron schedule with a memory', () => {
  it('makes up for what a dead operator missed, once, and writes down what it did', async () => {
    await using test = await testScope('cron');
    const clock = new ManualClock(Date.now());
    const memoryName = 'example.com/last-run';
    const runs: number[] = [];
    const cronIn = ({ common, manager }: Place) =>
      createCron({
        ...common,
        clock,
        cron: '*/5 * * * *',
        memory: rememberInAnnotation(manager.leaderClient, ConfigMap, memoryName),
        run: (_, { dueAt }) => void runs.push(dueAt),
      });
    const noted = async () =>
      (await test.client.get(ConfigMap, { name: 'a', namespace: test.namespace })).metadata.annotations?.[memoryName];

    const first = placeIn(test);
    await first.create('a');
    const end = new AbortController();
    first.manager.add(cronIn(first), 'leader');
    const running = first.manager.run(end.signal);
    await eventually(() => clock.pending > 0);
    await clock.advance('5m');
    await eventually(async () => expect(await noted()).toBe(new Date(runs[0] ?? 0).toISOString()));
    end.abort();
    await running;

    // Nobody is there for an hour.
    await clock.advance('1h');
    const second = placeIn(test);
    second.start(cronIn(second));
    await eventually(() => expect(runs).toHaveLength(2));
    expect((runs[1] ?? 0) - (runs[0] ?? 0)).toBe(3_600_000);
    await eventually(async () => expect(await noted()).toBe(new Date(runs[1] ?? 0).toISOString()));
    expect(test.requests.summary().filter((line) => line.startsWith('patch'))).toHaveLength(2);
  });
});

describe('a daemon', () => {
  it('lives as long as its object matches, and sees it change', async () => {
    await using test = await testScope('daemon');
    const { common, create, start } = placeIn(test);
    const log: string[] = [];
    start(
      createDaemon({
        ...common,
        when: ({ metadata }) => metadata.labels?.paused !== 'yes',
        async run({ metadata }, { current, signal }) {
          log.push(`${metadata.name} begins`);
          await eventually(() => current()?.data?.colour === 'blue', { signal, timeout: '20s' }).catch(() => {});
          if (!signal.aborted) log.push(`${metadata.name} is blue`);
          await new Promise((resolve) => (signal.aborted ? resolve(0) : signal.addEventListener('abort', resolve)));
          log.push(`${metadata.name} ends`);
        },
      }),
    );
    const reference = { name: 'a', namespace: test.namespace };
    await create('a');
    await eventually(() => expect(log).toEqual(['a begins']));
    await test.client.patch(ConfigMap, reference, { data: { colour: 'blue' } });
    await eventually(() => expect(log).toEqual(['a begins', 'a is blue']));
    await test.client.patch(ConfigMap, reference, { metadata: { labels: { paused: 'yes' } } });
    await eventually(() => expect(log.at(-1)).toBe('a ends'));
    await test.client.patch(ConfigMap, reference, { metadata: { labels: { paused: 'no' } } });
    await eventually(() => expect(log.slice(3)).toEqual(['a begins', 'a is blue']));
    await test.client.delete(ConfigMap, reference);
    await eventually(() => expect(log.at(-1)).toBe('a ends'));
  });

  it('runs only where the lead is, and moves with it', async () => {
    await using test = await testScope('daemon');
    const log: string[] = [];
    const replica = (name: string) => {
      const place = placeIn(test, { lease: 'daemons' });
      const daemon = createDaemon({
        ...place.common,
        async run(_, { signal }) {
          log.push(`${name} begins`);
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          log.push(`${name} ends`);
        },
      });
      place.manager.add(daemon, 'leader');
      const end = new AbortController();
      return { run: place.manager.run(end.signal), end, create: place.create };
    };
    const first = replica('first');
    await first.create('a');
    await eventually(() => expect(log).toEqual(['first begins']));
    const second = replica('second');
    const lease = { name: 'daemons', namespace: test.namespace };
    await waitFor(test.client, Lease, lease, ({ spec }) => Boolean(spec?.holderIdentity));
    first.end.abort();
    await first.run;
    await eventually(() => expect(log).toEqual(['first begins', 'first ends', 'second begins']));
    second.end.abort();
    await second.run;
    expect(log.at(-1)).toBe('second ends');
  });
});
