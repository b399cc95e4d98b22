/**
 * 410 Gone at any time: a cache whose version the server has forgotten begins anew, ends up equal to a fresh list, and
 * tells its listeners what they missed, deletions too. On an API server without a cache of its own, so that compaction
 * of etcd is what decides which versions are known.
 */
import { type Client, ConfigMap, createClient, hasCode } from '@kurator/client';
import { type Cluster, createCluster, eventually, testNamespace } from '@kurator/testenv';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCache, type RunnableCache } from '../src/cache/cache.ts';
import { compact } from './support/compaction.ts';
import { type FaultyProxy, startFaultyProxy } from './support/faulty-proxy.ts';

let cluster: Cluster;
let direct: Client;
let namespace: string;
let proxy: FaultyProxy;
let throughProxy: Client;
let stop: AbortController;

beforeAll(async () => {
  const apiServerArguments = ['--watch-cache=false'];
  ({ cluster } = await createCluster({ name: `expiry-${process.pid}`, apiServerArguments }));
  direct = await cluster.client();
});

afterAll(async () => {
  await direct?.close();
  await cluster?.down();
});

beforeEach(async () => {
  namespace = await testNamespace(direct, 'expiry');
  proxy = await startFaultyProxy(direct.config);
  throughProxy = createClient(proxy.config);
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await throughProxy.close();
  await proxy.close();
});

const put = (name: string, value: string) =>
  direct.apply(ConfigMap, { metadata: { name, namespace }, data: { value } }, { fieldManager: 'test', force: true });
const erase = (name: string) => direct.delete(ConfigMap, { name, namespace });
const forget = () => compact(cluster, direct);

/** A cache, and what somebody believes who only listens to it. */
interface Watched {
  readonly cache: RunnableCache<ConfigMap>;
  readonly told: string[];
  readonly believed: Map<string, string>;
  /** Why it had to begin again, each time. */
  readonly troubles: unknown[];
}

async function watched(client: Client, pageSize = 500): Promise<Watched> {
  const told: string[] = [];
  const troubles: unknown[] = [];
  const believed = new Map<string, string>();
  const cache = createCache(client, ConfigMap, { namespace, pageSize, onTrouble: (error) => troubles.push(error) });
  cache.listen((change) => {
    const { metadata, data } = change.object();
    told.push(`${change.type} ${metadata.name}`);
    if (change.type === 'deleted') believed.delete(metadata.name);
    else believed.set(metadata.name, `${metadata.uid} ${data?.value}`);
  });
  void cache.run(stop.signal);
  await cache.untilSynced(AbortSignal.timeout(30_000));
  return { cache, told, believed, troubles };
}

/** Both what is in the cache and what its listeners were told. */
async function expectEqualToAFreshList({ cache, believed }: Watched): Promise<void> {
  await eventually(async () => {
    const { items } = await direct.list(ConfigMap, { namespace });
    const facts = (objects: ConfigMap[]) =>
      Object.fromEntries(objects.map(({ metadata, data }) => [metadata.name, `${metadata.uid} ${data?.value}`]));
    expect(facts(cache.list())).toEqual(facts(items));
    expect(Object.fromEntries(believed)).toEqual(facts(items));
  });
}

/** What happens while the cache can't listen, and is then forgotten by the server. */
async function missed(happening: () => Promise<unknown>): Promise<void> {
  proxy.refuse(true);
  proxy.cut();
  await happening();
  await forget();
  proxy.refuse(false);
}

const hasExpired = (error: unknown) => hasCode(error, 'KUR_CLIENT_EXPIRED');

it('tells what happened in a gap that nobody remembers, deletions too, and nothing else', async () => {
  for (const name of ['kept', 'changed', 'deleted', 'remade']) await put(name, '1');
  const watching = await watched(throughProxy);
  await expectEqualToAFreshList(watching);
  watching.told.length = 0;

  await missed(async () => {
    await put('changed', '2');
    await erase('deleted');
    await erase('remade');
    await put('remade', '1');
    await put('added', '1');
  });
  await expectEqualToAFreshList(watching);
  expect(watching.troubles.filter(hasExpired)).toHaveLength(1);
  expect([...watching.told].sort()).toEqual(['added added', 'deleted deleted', 'updated changed', 'updated remade']);
});

it('gets past a change of which the server knows no more what was before it', async () => {
  await put('a', '1');
  const watching = await watched(throughProxy);
  // For one change alone the version to go on from is still known: the server begins, and fails.
  await missed(() => put('a', '2'));
  await expectEqualToAFreshList(watching);
});

it('begins anew when the past is forgotten between two pages of a list', async () => {
  for (let i = 0; i < 7; i++) await put(`m${i}`, '1');
  let pages = 0;
  const forgetful: Client = {
    ...direct,
    // What a server says that doesn't stream lists.
    watchLines: (type, options) =>
      direct.watchLines(type, options?.sendInitialEvents ? { ...options, fieldSelector: 'no.such.field=1' } : options),
    async list(type, options) {
      if (++pages === 2) {
        await erase('m0');
        await put('m6', '2');
        await forget();
      }
      return await direct.list(type, options);
    },
  };
  const watching = await watched(forgetful, 2);
  expect(watching.troubles.filter(hasExpired)).toHaveLength(1);
  expect(pages).toBe(2 + 3);
  await expectEqualToAFreshList(watching);
  await put('m7', '1');
  await expectEqualToAFreshList(watching);
});

it('equals a fresh list after any sequence of writes, cuts and lost pasts', { timeout: 240_000 }, async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const write = fc.tuple(name, fc.constantFrom('1', '2', '3')).map((given) => () => put(...given));
  const removal = name.map((n) => () => erase(n).catch(() => {}));
  const happening = fc.oneof({ weight: 2, arbitrary: write }, removal);
  const gap = fc.array(happening, { minLength: 1, maxLength: 4 }).map((happenings) => async () => {
    await missed(async () => {
      for (const act of happenings) await act();
    });
  });
  const rest = fc.constantFrom<() => unknown>(forget, () => proxy.cut());
  const step = fc.oneof({ weight: 3, arbitrary: happening }, gap, rest);
  const watching = await watched(throughProxy);
  await fc.assert(
    fc.asyncProperty(fc.array<() => unknown>(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      for (const act of steps) await act();
      await expectEqualToAFreshList(watching);
    }),
    { numRuns: 10, endOnFailure: true },
  );
  expect(watching.troubles.some(hasExpired)).toBe(true);
});
