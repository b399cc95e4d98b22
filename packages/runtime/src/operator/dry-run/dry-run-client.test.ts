import { type Client, ConfigMap, Pod } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { dryRunClient, type PlannedWrite } from './dry-run-client.ts';

const live = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } };
const object = { metadata: { name: 'a', namespace: 'n' } };
const reference = object.metadata;

/** A client that remembers the options of everything that it was asked for; `found` is what is there. */
function recorder(found: object | null = live) {
  const calls: { method: string; options: { dryRun?: boolean } | undefined }[] = [];
  const methods: Record<string, unknown> = { config: { server: 'https://here' } };
  const answering = new Proxy(methods, {
    get: (known, method: string) =>
      known[method] ??
      (async (...of: unknown[]) => {
        calls.push({ method, options: of.at(-1) as { dryRun?: boolean } });
        if (method === 'find') return found ?? undefined;
        return method === 'list' ? { items: [live, live] } : { ...live, data: { would: 'be' } };
      }),
  });
  const writes: PlannedWrite[] = [];
  const client = dryRunClient(answering as unknown as Client, (write) => writes.push(write));
  return { client, calls, writes };
}

const reading = new Set(['find', 'list', 'get']);
const writing: Record<string, (client: Client) => Promise<unknown>> = {
  create: (client) => client.create(ConfigMap, object),
  replace: (client) => client.replace(ConfigMap, object, { dryRun: false }),
  patch: (client) => client.patch(ConfigMap, reference, {}, { dryRun: false, subresource: 'status' }),
  apply: (client) => client.apply(ConfigMap, object, { fieldManager: 'me', dryRun: false }),
  delete: (client) => client.delete(ConfigMap, reference, { dryRun: false }),
  deleteCollection: (client) => client.deleteCollection(ConfigMap, { namespace: 'n', dryRun: false }),
};
const refusing: Record<string, (client: Client) => Promise<unknown>> = {
  exec: (client) => client.exec(reference, ['true']),
  attach: (client) => client.attach(reference),
  portForward: (client) => client.portForward(reference, 80),
  'raw POST': (client) => client.raw('POST', '/x'),
  'a token': (client) => client.create(Pod, object, { subresource: 'token' }),
  'a binding': (client) => client.create(Pod, object, { subresource: 'binding' }),
};

describe('a client for dry runs', () => {
  it.each(Object.entries(writing))('sends no %s that would be stored, whatever it is asked for', async (_, write) => {
    const { client, calls, writes } = recorder();
    await write(client);
    const sent = calls.filter(({ method }) => !reading.has(method));
    expect(sent.map(({ options }) => options?.dryRun)).toEqual([true]);
    expect(writes.length).toBeGreaterThan(0);
  });

  it.each(Object.entries(refusing))('refuses %s, and sends nothing', async (_, act) => {
    const { client, calls } = recorder();
    await expect(act(client)).rejects.toMatchObject({ code: 'KUR_RUNTIME_DRY_RUN' });
    expect(calls).toEqual([]);
  });

  it('goes on as if what it would have made were there', async () => {
    const { client, calls } = recorder(null);
    await client.create(ConfigMap, object);
    expect(await client.find(ConfigMap, reference)).toMatchObject({ data: { would: 'be' } });
    expect(await client.get(ConfigMap, reference)).toMatchObject({ data: { would: 'be' } });
    calls.length = 0;
    await client.patch(ConfigMap, reference, {});
    expect(calls.map(({ method }) => method)).toEqual(['find']);
  });
});
