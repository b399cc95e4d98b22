/** Whatever the network does to a cache, it ends up equal to a fresh list. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConfigMap, createClient } from '@kurator/client';
import { eventually, sharedClient, testNamespace } from '@kurator/testenv';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCache, type RunnableCache } from '../src/cache/cache.ts';
import { type FaultyProxy, startFaultyProxy } from './support/faulty-proxy.ts';

let direct: Client;
let proxy: FaultyProxy;
let throughProxy: Client;
let namespace: string;
let stop: AbortController;
let cache: RunnableCache<ConfigMap>;

beforeEach(async () => {
  direct = await sharedClient();
  namespace = await testNamespace(direct, 'faults');
  proxy = await startFaultyProxy(direct.config);
  throughProxy = createClient(proxy.config);
  stop = new AbortController();
  cache = createCache(throughProxy, ConfigMap, { namespace, idleTimeout: 1000 });
  void cache.run(stop.signal);
  await cache.untilSynced(AbortSignal.timeout(10_000));
});

afterEach(async () => {
  stop.abort();
  await throughProxy.close();
  await proxy.close();
  await direct.close();
});

const put = (name: string, value: string) =>
  direct.apply(ConfigMap, { metadata: { name, namespace }, data: { value } }, { fieldManager: 'test', force: true });

async function expectEqualToAFreshList(): Promise<void> {
  await eventually(async () => {
    const { items } = await direct.list(ConfigMap, { namespace });
    const versions = (objects: ConfigMap[]) =>
      Object.fromEntries(objects.map(({ metadata, data }) => [metadata.name, [metadata.resourceVersion, data?.value]]));
    expect(versions(cache.list())).toEqual(versions(items));
  });
}

describe('a cache behind a bad network', () => {
  it('goes on after its connection was cut', async () => {
    await put('a', '1');
    proxy.cut();
    await put('a', '2');
    await put('b', '1');
    await expectEqualToAFreshList();
  });

  it('notices a watch that went silent on an open connection, and revives it', async () => {
    await put('a', '1');
    await expectEqualToAFreshList();
    proxy.stall();
    await put('a', '2');
    await expectEqualToAFreshList();
    expect(cache.state().troubles).toBeGreaterThan(0);
  });

  it('does not take half a line for an event', async () => {
    await put('a', '1');
    await expectEqualToAFreshList();
    proxy.truncateAfter(100);
    await put('a', '2');
    await put('a', '3');
    await expectEqualToAFreshList();
  });

  it('tells of a deletion that happened while it could not listen', async () => {
    await put('a', '1');
    await put('b', '1');
    await expectEqualToAFreshList();
    const deleted: string[] = [];
    cache.listen((change) => change.type === 'deleted' && deleted.push(change.key));
    proxy.refuse(true);
    proxy.cut();
    await direct.delete(ConfigMap, { name: 'a', namespace });
    proxy.refuse(false);
    await expectEqualToAFreshList();
    expect(deleted).toEqual([`${namespace}/a`]);
  });

  it('does not ask without end where each watch is ended at once', async () => {
    const { metadata } = await put('a', '1');
    await expectEqualToAFreshList();
    const before = proxy.connections;
    proxy.endStreams(true);
    proxy.cut();
    await eventually(() =>
      expect(cache.state().lastTrouble).toMatchObject({ message: expect.stringContaining('at once') }),
    );
    // Not to be seen in what it has, only in what it does.
    await delay(3_000);
    expect(proxy.connections - before).toBeLessThan(10);
    proxy.endStreams(false);
    await put('a', '2');
    await expectEqualToAFreshList();
    expect(cache.get(metadata)?.data).toEqual({ value: '2' });
  });

  it('equals a fresh list after any sequence of writes and faults', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const write = fc.tuple(name, fc.string({ maxLength: 5 })).map(
      ([n, value]) =>
        () =>
          put(n, value),
    );
    const erase = name.map((n) => () => direct.delete(ConfigMap, { name: n, namespace }).catch(() => {}));
    const fault = fc.oneof(
      fc.constant(() => proxy.cut()),
      fc.constant(() => proxy.stall()),
      fc.nat(400).map((bytes) => () => proxy.truncateAfter(bytes)),
    );
    const step = fc.oneof({ weight: 4, arbitrary: write }, erase, fault);
    await fc.assert(
      fc.asyncProperty(fc.array<() => unknown>(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        for (const act of steps) await act();
        await expectEqualToAFreshList();
      }),
      { numRuns: 8, endOnFailure: true },
    );
  }, 120_000);
});
