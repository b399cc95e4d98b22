/** The cache against the real API server. */
import { type Client, ConfigMap } from '@kurator/client';
import { eventually, sharedClient, testNamespace } from '@kurator/testenv';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCache, type RunnableCache } from '../src/cache/cache.ts';
import { selects } from '../src/cache/label-selector.ts';

let client: Client;
let namespace: string;
let stop: AbortController;

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'cache');
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await client.close();
});

const map = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  metadata: { name, namespace, labels },
  data,
});

async function running(options: Parameters<typeof createCache<ConfigMap>>[2] = {}): Promise<RunnableCache<ConfigMap>> {
  const cache = createCache(client, ConfigMap, { namespace, ...options });
  void cache.run(stop.signal);
  await cache.untilSynced(AbortSignal.timeout(10_000));
  return cache;
}

const names = (cache: RunnableCache<ConfigMap>) =>
  cache
    .list()
    .map(({ metadata }) => metadata.name)
    .sort();

describe('a cache', () => {
  it('has everything that was there, and follows every change', async () => {
    for (const name of ['a', 'b', 'c']) await client.create(ConfigMap, map(name));
    const cache = await running();
    expect(names(cache)).toEqual(['a', 'b', 'c']);
    await client.delete(ConfigMap, { name: 'b', namespace });
    await client.create(ConfigMap, map('d'));
    await client.patch(ConfigMap, { name: 'a', namespace }, { data: { colour: 'blue' } });
    await eventually(() => {
      expect(names(cache)).toEqual(['a', 'c', 'd']);
      expect(cache.get({ name: 'a', namespace })?.data).toEqual({ colour: 'blue' });
    });
  });

  it('reads the same without streaming, page by page', async () => {
    for (let i = 0; i < 7; i++) await client.create(ConfigMap, map(`m${i}`));
    const refusing: Client = {
      ...client,
      watchLines(type, options) {
        if (options?.sendInitialEvents)
          return client.watchLines(type, { ...options, fieldSelector: 'no.such.field=1' });
        return client.watchLines(type, options);
      },
    };
    const cache = createCache(refusing, ConfigMap, { namespace, pageSize: 2 });
    void cache.run(stop.signal);
    await cache.untilSynced(AbortSignal.timeout(10_000));
    expect(names(cache)).toHaveLength(7);
    await client.delete(ConfigMap, { name: 'm3', namespace });
    await eventually(() => expect(names(cache)).not.toContain('m3'));
  });

  it('lets nobody damage it', async () => {
    await client.create(ConfigMap, map('a', { colour: 'blue' }));
    const cache = await running();
    const mine = cache.get({ name: 'a', namespace });
    if (mine?.data) mine.data.colour = 'red';
    expect(cache.get({ name: 'a', namespace })?.data).toEqual({ colour: 'blue' });
  });

  it('shows a write of our own at once, and never goes back behind it', async () => {
    await client.create(ConfigMap, map('a', { n: '0' }));
    const cache = await running();
    const seen: string[] = [];
    cache.listen((change) => seen.push(change.object().data?.n ?? ''));
    for (let n = 1; n <= 50; n++) {
      cache.observe(await client.patch(ConfigMap, { name: 'a', namespace }, { data: { n: String(n) } }));
      expect(cache.get({ name: 'a', namespace })?.data?.n).toBe(String(n));
    }
    expect(seen).toEqual(Array.from({ length: 51 }, (_, n) => String(n)));
  });

  it('shows a new object of our own at once where its labels are selected, and never where they are not', async () => {
    const cache = await running({ labelSelector: 'app=web,!old' });
    cache.observe(await client.create(ConfigMap, map('selected', {}, { app: 'web' })));
    cache.observe(await client.create(ConfigMap, map('other', {}, { app: 'db' })));
    expect(names(cache)).toEqual(['selected']);
  });

  it('knows what a label selector selects as well as the server does', async () => {
    const labels = [{}, { a: 'x' }, { a: 'y' }, { a: '', b: 'x' }, { a: 'x', b: 'y' }, { 'example.com/a': 'x' }];
    for (const [i, own] of labels.entries()) await client.create(ConfigMap, map(`m${i}`, {}, own));
    const { items } = await client.list(ConfigMap, { namespace });
    const key = fc.constantFrom('a', 'b', 'example.com/a');
    const values = fc.array(fc.constantFrom('x', 'y', ''), { minLength: 1, maxLength: 2 });
    const requirement = fc.oneof(
      key,
      key.map((name) => `!${name}`),
      fc
        .tuple(key, fc.constantFrom('=', '==', '!=', ' = '), fc.constantFrom('x', 'y', ''))
        .map((parts) => parts.join('')),
      fc
        .tuple(key, fc.constantFrom('in', 'notin'), values)
        .map(([name, how, list]) => `${name} ${how} (${list.join()})`),
    );
    const selector = fc.array(requirement, { minLength: 1, maxLength: 3 }).map((requirements) => requirements.join());
    await fc.assert(
      fc.asyncProperty(selector, async (labelSelector) => {
        const selected = await client.list(ConfigMap, { namespace, labelSelector });
        const ours = items.filter(({ metadata }) => selects(labelSelector, metadata.labels));
        expect(ours.map(({ metadata }) => metadata.name)).toEqual(selected.items.map(({ metadata }) => metadata.name));
      }),
      { numRuns: 50 },
    );
  });

  it('finds objects by owner, label and index', async () => {
    const owner = await client.create(ConfigMap, map('owner'));
    const { apiVersion, kind, metadata } = owner;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }];
    await client.create(ConfigMap, {
      metadata: { name: 'child', namespace, ownerReferences, labels: { tier: 'web' } },
      data: { colour: 'blue' },
    });
    const cache = await running({ indexes: { colour: ({ data }) => (data?.colour ? [data.colour] : []) } });
    const nameOf = (objects: ConfigMap[]) => objects.map((object) => object.metadata.name);
    expect(nameOf(cache.ownedBy(metadata.uid ?? ''))).toEqual(['child']);
    expect(nameOf(cache.byIndex('colour', 'blue'))).toEqual(['child']);
    expect(nameOf(cache.list({ labels: { tier: 'web' } }))).toEqual(['child']);
    await client.patch(ConfigMap, { name: 'child', namespace }, { data: { colour: 'red' } });
    await eventually(() => expect(nameOf(cache.byIndex('colour', 'red'))).toEqual(['child']));
    expect(cache.byIndex('colour', 'blue')).toEqual([]);
    expect(() => cache.byIndex('size', '1')).toThrow(/no index "size".*/);
  });

  it('is filled though an index and a transform fail for one of the objects, and says so once', async () => {
    await client.create(ConfigMap, map('good', { colour: 'blue' }));
    for (const name of ['odd', 'odder']) await client.create(ConfigMap, { metadata: { name, namespace } });
    const told: string[] = [];
    const cache = await running({
      indexes: { colour: ({ data }) => [(data as { colour: string }).colour.toUpperCase()] },
      transform: (object) => {
        Object.assign(object.data as object, { seen: 'yes' });
        return object;
      },
      onFailure: ({ code, message }) => told.push(`${code} ${message.split(' failed')[0]}`),
    });
    expect(names(cache)).toEqual(expect.arrayContaining(['good', 'odd', 'odder']));
    expect(cache.byIndex('colour', 'BLUE').map(({ data }) => data)).toEqual([{ colour: 'blue', seen: 'yes' }]);
    expect(told.sort()).toEqual([
      'KUR_RUNTIME_CACHE_FUNCTION the index "colour" of the cache of configmaps',
      'KUR_RUNTIME_CACHE_FUNCTION the transform of the cache of configmaps',
    ]);
    await client.patch(ConfigMap, { name: 'odd', namespace }, { data: { colour: 'red' } });
    await eventually(() => expect(cache.byIndex('colour', 'RED')).toHaveLength(1));
    expect(cache.state().troubles).toBe(0);
  });

  it('keeps only metadata where that is asked for, and drops managed fields', async () => {
    await client.create(ConfigMap, map('a', { secret: 'x' }));
    const whole = await running();
    expect(whole.get({ name: 'a', namespace })?.metadata.managedFields).toBeUndefined();
    const meta = await running({ metadataOnly: true });
    expect(meta.get({ name: 'a', namespace })).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
    expect(meta.get({ name: 'a', namespace })?.data).toBeUndefined();
  });

  it('refuses to be read before it is complete', () => {
    const cache = createCache(client, ConfigMap, { namespace });
    expect(() => cache.list()).toThrow(/not complete yet/);
  });
});
