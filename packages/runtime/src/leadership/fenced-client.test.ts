import { type Client, ConfigMap } from '@kurator/client';
import { expect, it } from 'vitest';
import { fencedClient } from './fenced-client.ts';

const reached = Symbol('reached');
const client = new Proxy({} as Client, {
  ownKeys: () => [
    'get',
    'create',
    'replace',
    'patch',
    'apply',
    'delete',
    'deleteCollection',
    'exec',
    'attach',
    'raw',
    'list',
  ],
  getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  get: () => () => Promise.resolve(reached),
});
const object = { metadata: { name: 'a', namespace: 'b' } };

const writes: Record<string, (client: Client) => Promise<unknown>> = {
  create: (it) => it.create(ConfigMap, object),
  replace: (it) => it.replace(ConfigMap, object),
  patch: (it) => it.patch(ConfigMap, object.metadata, {}),
  apply: (it) => it.apply(ConfigMap, object, { fieldManager: 'me' }),
  delete: (it) => it.delete(ConfigMap, object.metadata),
  deleteCollection: (it) => it.deleteCollection(ConfigMap, { namespace: 'b' }),
  exec: (it) => it.exec(object.metadata, ['true']),
  attach: (it) => it.attach(object.metadata),
  'raw POST': (it) => it.raw('POST', '/x'),
};
const reads: Record<string, (client: Client) => Promise<unknown>> = {
  get: (it) => it.get(ConfigMap, object.metadata),
  list: (it) => it.list(ConfigMap),
  'raw GET': (it) => it.raw('GET', '/x'),
};

const leader = fencedClient(client, () => {});
const fenced = fencedClient(client, () => {
  throw new Error('not the leader');
});

it.each(Object.entries(writes))('lets only the leader %s', async (_, act) => {
  expect(await act(leader)).toBe(reached);
  await expect(act(fenced)).rejects.toThrow('not the leader');
});

it.each(Object.entries(reads))('lets anyone %s', async (_, act) => {
  expect(await act(fenced)).toBe(reached);
});

it('asks again right before a write goes out', async () => {
  let options: { guard?: () => void } | undefined;
  const slow = { ...client, create: async (...of: unknown[]) => (options = of[2] as typeof options) } as Client;
  let leads = true;
  const fence = () => {
    if (!leads) throw new Error('not the leader');
  };
  await fencedClient(slow, fence).create(ConfigMap, object);
  expect(options?.guard).not.toThrow();
  leads = false;
  expect(options?.guard).toThrow('not the leader');
});
