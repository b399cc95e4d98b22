import { ConfigMap } from '@kurator/client';
import { expect, it, vi } from 'vitest';
import { memoryCache } from '../../../test/support/memory-cache.ts';
import { scopedCache } from './cluster-scope.ts';

const put = (cache: ReturnType<typeof memoryCache<ConfigMap>>, namespace: string, name: string) =>
  cache.put({
    metadata: {
      name,
      namespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: true }],
    },
  });

function two(synced = true) {
  const [a, b] = [memoryCache(ConfigMap, synced), memoryCache(ConfigMap, synced)];
  return {
    a,
    b,
    both: scopedCache(
      new Map([
        ['a', a],
        ['b', b],
      ]),
    ),
  };
}

it('reads several namespaces as one', () => {
  const { a, b, both } = two();
  put(a, 'a', 'one');
  put(b, 'b', 'two');
  const names = (found: ConfigMap[]) => found.map(({ metadata }) => metadata.name);
  expect(names(both.list())).toEqual(['one', 'two']);
  expect(names(both.list({ namespace: 'b' }))).toEqual(['two']);
  expect(names(both.list({ namespace: 'c' }))).toEqual([]);
  expect(both.get({ name: 'two', namespace: 'b' })?.metadata.name).toBe('two');
  expect(both.get({ name: 'two', namespace: 'c' })).toBeUndefined();
  expect(names(both.ownedBy('u'))).toEqual(['one', 'two']);
});

it('is complete when all of them are', async () => {
  const { a, b, both } = two(false);
  a.sync();
  expect(both.synced).toBe(false);
  b.sync();
  expect(both.synced).toBe(true);
  await both.untilSynced();
});

it('tells of changes in each, until it is told not to, and takes in what was written where it belongs', () => {
  const { a, b, both } = two();
  const listener = vi.fn();
  const stop = both.listen(listener);
  put(a, 'a', 'one');
  put(b, 'b', 'two');
  expect(listener).toHaveBeenCalledTimes(2);
  both.observe({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'three', namespace: 'b', resourceVersion: '9000' },
  });
  expect(b.get({ name: 'three', namespace: 'b' })).toBeDefined();
  stop();
  put(a, 'a', 'four');
  expect(listener).toHaveBeenCalledTimes(3);
});
