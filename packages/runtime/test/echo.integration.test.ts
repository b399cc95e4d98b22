// A whole operator on the real API server: each Echo keeps ConfigMaps in step with its message and says when it is done.
// Every write is counted: none may fail, and none may change nothing.
import { type Client, ConfigMap, isNotFound, waitFor, waitUntilGone } from '@kurator/client';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCache } from '../src/cache/cache.ts';
import { type Controller, createController } from '../src/controller/controller.ts';
import type { ControllerObserver, ReconcileEnd } from '../src/controller/observer.ts';
import { type DeclarativeOptions, declarative } from '../src/writing/declarative.ts';
import { createWriter } from '../src/writing/writer.ts';
import { Echo } from './support/echo.ts';
import { isReady, keepInStep } from './support/echo-operator.ts';
import { echoPlace } from './support/echo-place.ts';

import { type RecordedWrite, recordingClient, summary } from './support/recording-client.ts';

const MANY = 40;

interface Operator {
  controller: Controller;
  writes: RecordedWrite[];
  ends: ReconcileEnd[];
  stop(): Promise<void>;
}

let client: Client;
let namespace: string;
let running: Operator[];

beforeEach(async () => {
  ({ client, namespace } = await echoPlace('echo'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((operator) => operator.stop()));
});

async function startOperator(
  options: Partial<DeclarativeOptions<Echo>> = {},
  connection: Client = client,
): Promise<Operator> {
  const { client: recorded, writes } = recordingClient(connection);
  const stopping = new AbortController();
  const [echoes, maps] = [createCache(recorded, Echo, { namespace }), createCache(recorded, ConfigMap, { namespace })];
  for (const cache of [echoes, maps]) void cache.run(stopping.signal);
  const writer = createWriter({ client: recorded, fieldManager: 'echo', caches: [echoes, maps] });
  const ends: ReconcileEnd[] = [];
  const diary: ControllerObserver = { onReconcileStart: () => {}, onReconcileEnd: (_, end) => ends.push(end) };
  const controller = createController({
    name: 'echo',
    for: echoes,
    owns: [maps],
    concurrency: 16,
    observers: [diary],
    ...declarative({ writer, for: echoes, prunes: [maps], reconcile: keepInStep, ...options }),
  });
  await controller.start();
  const operator = {
    controller,
    writes,
    ends,
    async stop() {
      await controller.stop();
      stopping.abort();
    },
  };
  running.push(operator);
  return operator;
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
async function settled({ controller }: Operator): Promise<void> {
  const sentinel = `sentinel-${Math.random().toString(36).slice(2, 8)}`;
  await create(sentinel);
  await untilReady(sentinel);
  await eventually(() => {
    expect(controller.running()).toEqual([]);
    expect(controller.queue.depth).toBe(0);
  });
}

/** What was written to or for these, without the sentinels. */
const writesOf = ({ writes }: Operator) => summary(writes).filter((write) => !write.includes('sentinel'));

describe('the echo operator', () => {
  it('brings many objects into step with one write each for child and status, and no conflict', async () => {
    const operator = await startOperator();
    await Promise.all(names.map((name) => create(name)));
    await Promise.all(names.map(untilReady));
    await settled(operator);

    const expected = names.flatMap((name) => [`apply ConfigMap ${name}`, `patch Echo ${name}/status`]);
    expect(writesOf(operator).sort()).toEqual(expected.sort());
    expect(await messages()).toMatchObject(Object.fromEntries(names.map((name) => [name, 'hello'])));
    expect(new Set(operator.ends.map(({ outcome }) => outcome))).toEqual(new Set(['success']));
  });

  it('follows a burst of updates with no write too many', async () => {
    const operator = await startOperator();
    await Promise.all(names.map((name) => create(name)));
    await Promise.all(names.map(untilReady));
    await settled(operator);
    operator.writes.length = 0;

    await Promise.all(names.map((name) => say(name, { message: 'bye' })));
    await Promise.all(names.map(untilReady));
    await settled(operator);
    const expected = names.flatMap((name) => [`apply ConfigMap ${name}`, `patch Echo ${name}/status`]);
    expect(writesOf(operator).sort()).toEqual(expected.sort());
    expect(await messages()).toMatchObject(Object.fromEntries(names.map((name) => [name, 'bye'])));
  });

  it('makes deleted children again and repairs damaged ones, without touching the status', async () => {
    const operator = await startOperator();
    for (const name of ['a', 'b', 'c']) await create(name);
    for (const name of ['a', 'b', 'c']) await untilReady(name);
    await settled(operator);
    operator.writes.length = 0;

    await client.delete(ConfigMap, { name: 'a', namespace });
    await client.patch(ConfigMap, { name: 'b', namespace }, { data: { message: 'damaged' } });
    await client.patch(ConfigMap, { name: 'c', namespace }, { data: { theirs: 'kept' } });
    await eventually(async () => expect(await messages()).toMatchObject({ a: 'hello', b: 'hello', c: 'hello' }));
    await settled(operator);
    expect(writesOf(operator).sort()).toEqual(['apply ConfigMap a', 'apply ConfigMap b']);
    expect((await client.get(ConfigMap, { name: 'c', namespace })).data).toEqual({ message: 'hello', theirs: 'kept' });
  });

  it('deletes children that are not declared any more', async () => {
    const operator = await startOperator();
    await create('a');
    await say('a', { copies: 3 });
    await untilReady('a');
    expect(Object.keys(await messages()).sort()).toEqual(['a', 'a-1', 'a-2']);
    await say('a', { copies: 1 });
    await untilReady('a');
    await settled(operator);
    expect(
      writesOf(operator)
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
    expect(second.ends.length).toBeGreaterThanOrEqual(MANY);
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
    const operator = await startOperator({ errorCondition: 'Ready' });
    await create('a', 'nonsense');
    const shown = await waitFor(client, Echo, { name: 'a', namespace }, ({ status }) => !!status?.conditions);
    expect(shown.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'Nonsense', message: 'nobody can echo that', observedGeneration: 1 },
    ]);
    await settled(operator);
    expect(writesOf(operator)).toEqual(['patch Echo a/status']);
    expect(operator.ends.filter(({ outcome }) => outcome === 'error')).toEqual([]);

    await say('a', { message: 'sense' });
    const { status } = await untilReady('a');
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', reason: 'Reconciled', message: '', observedGeneration: 2 },
    ]);
    expect(await messages()).toMatchObject({ a: 'sense' });
  });
});

describe('an echo operator with something to clean up', () => {
  const finalizer = 'test.kurator.dev/cleanup';

  /** Something outside of Kubernetes that is made by a reconcile and must not be left behind. */
  function outside() {
    const things = new Set<string>();
    const calls: string[] = [];
    let failures = 2;
    const options: Partial<DeclarativeOptions<Echo>> = {
      async reconcile(object, context) {
        calls.push(`reconcile with ${object.metadata.finalizers?.join() ?? 'no finalizer'}`);
        things.add(context.key);
        return await keepInStep(object, context);
      },
      finalizer: {
        name: finalizer,
        async cleanup(_, { key }) {
          calls.push('cleanup');
          if (failures-- > 0) throw new Error('not yet');
          things.delete(key);
        },
      },
    };
    return { things, calls, options };
  }

  it('holds the object before it makes anything, and lets it go only when the clean-up has succeeded', async () => {
    const { things, calls, options } = outside();
    const operator = await startOperator(options);
    await create('a');
    await untilReady('a');
    expect(calls[0]).toBe(`reconcile with ${finalizer}`);
    expect(summary(operator.writes)[0]).toBe('patch Echo a');
    expect(things.size).toBe(1);

    await client.delete(Echo, { name: 'a', namespace });
    await waitUntilGone(client, Echo, { name: 'a', namespace });
    expect(things.size).toBe(0);
    expect(calls.filter((call) => call === 'cleanup')).toHaveLength(3);
  });

  it('leaves the finalizers of others alone, and waits for nobody', async () => {
    const { things, options } = outside();
    const operator = await startOperator(options);
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
    await settled(operator);
    expect(operator.controller.failing(10)).toEqual([]);
    await client.patch(Echo, { name: 'a', namespace }, { metadata: { finalizers: null } });
    await waitUntilGone(client, Echo, left.metadata);
  });

  it('makes nothing for an object that is deleted before it was first seen', async () => {
    const { calls, options } = outside();
    const other = 'test.kurator.dev/other';
    await client.create(Echo, { metadata: { name: 'a', namespace, finalizers: [other] }, spec: { message: 'hello' } });
    await client.delete(Echo, { name: 'a', namespace });
    const operator = await startOperator(options);
    await settled(operator);
    expect(writesOf(operator)).toEqual([]);
    expect(calls.filter((call) => call === 'cleanup')).toEqual([]);
    await expect(client.get(ConfigMap, { name: 'a', namespace })).rejects.toSatisfy(isNotFound);
  });
});

describe('an echo operator that dies', () => {
  const finalizer = { name: 'test.kurator.dev/cleanup', cleanup: async () => undefined };

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
      const first = await startOperator({ finalizer }, dying.client);
      await client.create(Echo, { metadata: { name: 'a', namespace }, spec: { message: 'hello', copies: 2 } });
      await eventually(() => expect(dying.dead()).toBe(true));
      await first.stop();
      const held = await client.get(Echo, { name: 'a', namespace });
      // Whatever was made, the object could not go without us.
      expect(held.metadata.finalizers).toEqual([finalizer.name]);

      const second = await startOperator({ finalizer });
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
