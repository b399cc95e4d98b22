// A whole operator on the real API server: each Echo keeps ConfigMaps in step with its message and says when it is done.
// Every write is counted: none may fail, and none may change nothing.
import { type Client, ConfigMap, isNotFound, waitFor, waitUntilGone } from '@kurator/client';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CleanupFunction, operator, type ReconcileFunction } from '../src/index.ts';
import { Echo } from './support/echo.ts';
import { isReady, keepInStep } from './support/echo-operator.ts';
import { echoPlace } from './support/echo-place.ts';
import { quietly } from './support/garden.ts';
import { type RecordedWrite, recordingClient, summary } from './support/recording-client.ts';

const MANY = 40;

interface Started {
  /** What Prometheus would be told. */
  figure(name: string): Promise<number>;
  writes: RecordedWrite[];
  /** Whom a reconcile was called for, each time. */
  reconciled: string[];
  stop(): Promise<void>;
}

let client: Client;
let namespace: string;
let running: Started[];

beforeEach(async () => {
  ({ client, namespace } = await echoPlace('echo'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((operator) => operator.stop()));
});

async function startOperator(
  { reconcile = keepInStep, cleanup }: { reconcile?: ReconcileFunction<Echo>; cleanup?: CleanupFunction<Echo> } = {},
  connection: Client = client,
): Promise<Started> {
  const { client: recorded, writes } = recordingClient(connection);
  const reconciled: string[] = [];
  const builder = operator({ name: 'echo' })
    .controller(Echo, { concurrency: 16, readyCondition: 'Ready' })
    .owns(ConfigMap);
  const echo = (cleanup ? builder.cleanup(cleanup) : builder).reconcile(async (object, context) => {
    reconciled.push(context.key);
    return await reconcile(object, context);
  });
  const { manager, stop } = await echo.start(quietly(recorded, namespace));
  const figure = async (name: string) => {
    const { body } = await manager.metrics.text();
    return Number(new RegExp(`^${name}(?:{.*})? (.+)$`, 'm').exec(body)?.[1]);
  };
  const started = { figure, writes, reconciled, stop };
  running.push(started);
  return started;
}

const create = (name: string, message = 'hello') =>
  client.create(Echo, { metadata: { name, namespace }, spec: { message } });
const say = (name: string, spec: Echo['spec']) => client.patch(Echo, { name, namespace }, { spec });
const untilReady = (name: string) =>
  waitFor(client, Echo, { name, namespace }, isReady, { description: 'to be ready' });
const messages = async () => {
  const { items } = await client.list(ConfigMap, { namespace });
  return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data?.message]));
};
const names = Array.from({ length: MANY }, (_, i) => `e${i}`);

/** Waits until the operator has seen all that happened so far, and has nothing left to do. */
async function settled({ figure }: Started): Promise<void> {
  const sentinel = `sentinel-${Math.random().toString(36).slice(2, 8)}`;
  await create(sentinel);
  await untilReady(sentinel);
  await eventually(async () => {
    expect(await figure('controller_runtime_active_workers')).toBe(0);
    expect(await figure('workqueue_depth')).toBe(0);
  });
}

/** What was written to or for these, without the sentinels, and without what people are told. */
const writesOf = ({ writes }: Started) =>
  summary(writes).filter((write) => !write.includes('sentinel') && !write.startsWith('create Event'));

describe('the echo operator', () => {
  it('brings many objects into step with one write each for child and status, and no conflict', async () => {
    const started = await startOperator();
    await Promise.all(names.map((name) => create(name)));
    await Promise.all(names.map(untilReady));
    await settled(started);

    const expected = names.flatMap((name) => [`apply ConfigMap ${name}`, `patch Echo ${name}/status`]);
    expect(writesOf(started).sort()).toEqual(expected.sort());
    expect(await messages()).toMatchObject(Object.fromEntries(names.map((name) => [name, 'hello'])));
    expect(new Set(started.reconciled).size).toBe(MANY + 1);
  });

  it('follows a burst of updates with no write too many', async () => {
    const started = await startOperator();
    await Promise.all(names.map((name) => create(name)));
    await Promise.all(names.map(untilReady));
    await settled(started);
    started.writes.length = 0;

    await Promise.all(names.map((name) => say(name, { message: 'bye' })));
    await Promise.all(names.map(untilReady));
    await settled(started);
    const expected = names.flatMap((name) => [`apply ConfigMap ${name}`, `patch Echo ${name}/status`]);
    expect(writesOf(started).sort()).toEqual(expected.sort());
    expect(await messages()).toMatchObject(Object.fromEntries(names.map((name) => [name, 'bye'])));
  });

  it('makes deleted children again and repairs damaged ones, without touching the status', async () => {
    const started = await startOperator();
    for (const name of ['a', 'b', 'c']) await create(name);
    for (const name of ['a', 'b', 'c']) await untilReady(name);
    await settled(started);
    started.writes.length = 0;

    await client.delete(ConfigMap, { name: 'a', namespace });
    await client.patch(ConfigMap, { name: 'b', namespace }, { data: { message: 'damaged' } });
    await client.patch(ConfigMap, { name: 'c', namespace }, { data: { theirs: 'kept' } });
    await eventually(async () => expect(await messages()).toMatchObject({ a: 'hello', b: 'hello', c: 'hello' }));
    await settled(started);
    expect(writesOf(started).sort()).toEqual(['apply ConfigMap a', 'apply ConfigMap b']);
    expect((await client.get(ConfigMap, { name: 'c', namespace })).data).toEqual({ message: 'hello', theirs: 'kept' });
  });

  it('deletes children that are not declared any more', async () => {
    const started = await startOperator();
    await create('a');
    await say('a', { copies: 3 });
    await untilReady('a');
    expect(Object.keys(await messages()).sort()).toEqual(['a', 'a-1', 'a-2']);
    await say('a', { copies: 1 });
    await untilReady('a');
    await settled(started);
    expect(
      writesOf(started)
        .filter((write) => write.startsWith('delete'))
        .sort(),
    ).toEqual(['delete ConfigMap a-1', 'delete ConfigMap a-2']);
    expect(await messages()).toMatchObject({ a: 'hello' });
    expect(await messages()).not.toHaveProperty('a-1');
  });

  it('writes nothing after a restart, if nothing happened meanwhile', async () => {
    const first = await startOperator();
    await Promise.all(names.map((name) => create(name)));
    await Promise.all(names.map(untilReady));
    await settled(first);
    await first.stop();

    const second = await startOperator();
    await settled(second);
    expect(second.reconciled.length).toBeGreaterThanOrEqual(MANY);
    expect(writesOf(second)).toEqual([]);
  });

  it('catches up after a restart with what happened meanwhile', async () => {
    const first = await startOperator();
    for (const name of ['a', 'b', 'c']) await create(name);
    for (const name of ['a', 'b', 'c']) await untilReady(name);
    await first.stop();
    await say('a', { message: 'changed' });
    await client.delete(ConfigMap, { name: 'b', namespace });
    await create('d');

    const second = await startOperator();
    for (const name of ['a', 'd']) await untilReady(name);
    await settled(second);
    expect(await messages()).toMatchObject({ a: 'changed', b: 'hello', c: 'hello', d: 'hello' });
    expect(writesOf(second).sort()).toEqual([
      'apply ConfigMap a',
      'apply ConfigMap b',
      'apply ConfigMap d',
      'patch Echo a/status',
      'patch Echo d/status',
    ]);
  });

  it('shows a permanent error on the object once, leaves it alone, and goes on when it is changed', async () => {
    const started = await startOperator();
    await create('a', 'nonsense');
    const shown = await waitFor(client, Echo, { name: 'a', namespace }, ({ status }) => !!status?.conditions);
    expect(shown.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'Nonsense', message: 'nobody can echo that', observedGeneration: 1 },
    ]);
    await settled(started);
    expect(writesOf(started)).toEqual(['patch Echo a/status']);
    expect(await started.figure('controller_runtime_reconcile_errors_total')).toBe(1);

    await say('a', { message: 'sense' });
    const { status } = await untilReady('a');
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', reason: 'Reconciled', message: '', observedGeneration: 2 },
    ]);
    expect(await messages()).toMatchObject({ a: 'sense' });
  });
});

const finalizer = 'test.kurator.dev/echo';

describe('an echo operator with something to clean up', () => {
  /** Something outside of Kubernetes that is made by a reconcile and must not be left behind. */
  function outside() {
    const things = new Set<string>();
    const calls: string[] = [];
    let failures = 2;
    const reconcile: ReconcileFunction<Echo> = async (object, context) => {
      calls.push(`reconcile with ${object.metadata.finalizers?.join() ?? 'no finalizer'}`);
      things.add(context.key);
      return await keepInStep(object, context);
    };
    const cleanup: CleanupFunction<Echo> = (_, { key }) => {
      calls.push('cleanup');
      if (failures-- > 0) throw new Error('not yet');
      things.delete(key);
    };
    const options = { reconcile, cleanup };
    return { things, calls, options };
  }

  it('holds the object before it makes anything, and lets it go only when the clean-up has succeeded', async () => {
    const { things, calls, options } = outside();
    const started = await startOperator(options);
    await create('a');
    await untilReady('a');
    expect(calls[0]).toBe(`reconcile with ${finalizer}`);
    expect(summary(started.writes)[0]).toBe('patch Echo a');
    expect(things.size).toBe(1);

    await client.delete(Echo, { name: 'a', namespace });
    await waitUntilGone(client, Echo, { name: 'a', namespace });
    expect(things.size).toBe(0);
    expect(calls.filter((call) => call === 'cleanup')).toHaveLength(3);
  });

  it('leaves the finalizers of others alone, and waits for nobody', async () => {
    const { things, calls, options } = outside();
    const started = await startOperator(options);
    const other = 'test.kurator.dev/other';
    await client.create(Echo, { metadata: { name: 'a', namespace, finalizers: [other] }, spec: { message: 'hello' } });
    await untilReady('a');
    await client.delete(Echo, { name: 'a', namespace });
    const left = await waitFor(
      client,
      Echo,
      { name: 'a', namespace },
      ({ metadata }) => metadata.finalizers?.join() === other,
      { description: 'to be let go by us' },
    );
    expect(things.size).toBe(0);
    await settled(started);
    expect(calls.filter((call) => call === 'cleanup')).toHaveLength(3);
    await client.patch(Echo, { name: 'a', namespace }, { metadata: { finalizers: null } });
    await waitUntilGone(client, Echo, left.metadata);
  });

  it('makes nothing for an object that is deleted before it was first seen', async () => {
    const { calls, options } = outside();
    const other = 'test.kurator.dev/other';
    await client.create(Echo, { metadata: { name: 'a', namespace, finalizers: [other] }, spec: { message: 'hello' } });
    await client.delete(Echo, { name: 'a', namespace });
    const started = await startOperator(options);
    await settled(started);
    expect(writesOf(started)).toEqual([]);
    expect(calls.filter((call) => call === 'cleanup')).toEqual([]);
    await expect(client.get(ConfigMap, { name: 'a', namespace })).rejects.toSatisfy(isNotFound);
  });
});

describe('an echo operator that dies', () => {
  const cleanup = () => undefined;

  /** Reaches the server for so many writes; the last of them is done, but its answer is lost, like everything after it. */
  function dyingClient(lives: number): { client: Client; dead: () => boolean } {
    let left = lives;
    const dying = <A extends unknown[], R>(write: (...given: A) => Promise<R>) => {
      return async (...given: A): Promise<R> => {
        left--;
        if (left >= 0) {
          const answer = await write(...given);
          if (left > 0) return answer;
        }
        throw new Error('dead');
      };
    };
    const { apply, patch, delete: remove } = client;
    return {
      client: { ...client, apply: dying(apply) as never, patch: dying(patch) as never, delete: dying(remove) },
      dead: () => left <= 0,
    };
  }

  it.each([1, 2, 3, 4])(
    'after write %d of the first reconcile leaves nothing that the next one can not finish',
    async (lives) => {
      const dying = dyingClient(lives);
      const first = await startOperator({ cleanup }, dying.client);
      await client.create(Echo, { metadata: { name: 'a', namespace }, spec: { message: 'hello', copies: 2 } });
      await eventually(() => expect(dying.dead()).toBe(true));
      await first.stop();
      const held = await client.get(Echo, { name: 'a', namespace });
      // Whatever was made, the object could not go without us.
      expect(held.metadata.finalizers).toEqual([finalizer]);

      const second = await startOperator({ cleanup });
      await untilReady('a');
      await settled(second);
      expect(await messages()).toMatchObject({ a: 'hello', 'a-1': 'hello' });
      // 4 writes in all: hold, two children, status. Only what was not done before is done now.
      expect(writesOf(second)).toHaveLength(4 - lives);
    },
  );

  it.each([1, 2, 3])('after write %d of an update does so neither', async (lives) => {
    const before = await startOperator();
    await client.create(Echo, { metadata: { name: 'a', namespace }, spec: { message: 'hello', copies: 2 } });
    await untilReady('a');
    await settled(before);
    await before.stop();

    const dying = dyingClient(lives);
    const first = await startOperator({}, dying.client);
    await say('a', { message: 'bye', copies: 1 });
    await eventually(() => expect(dying.dead()).toBe(true));
    await first.stop();

    const second = await startOperator();
    await untilReady('a');
    await settled(second);
    const children = Object.entries(await messages()).filter(([name]) => !name.startsWith('sentinel'));
    expect(Object.fromEntries(children)).toEqual({ a: 'bye' });
    expect(writesOf(second)).toHaveLength(3 - lives);
  });
});
