import { ConfigMap, createClient, isNotFound, Pod } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { eventually } from '../src/kit/eventually.ts';
import { describeRequest, recordRequests } from '../src/kit/record-requests.ts';
import { type ScopedOptions, testScope } from '../src/kit/test-scope.ts';

describe('a scope of a test', () => {
  it('gives a client, a namespace of its own, and an end of what runs in it', async () => {
    const copies: string[] = [];
    let ended = false;
    {
      await using test = await testScope('kit');
      const { client, namespace } = test;
      expect(namespace).toMatch(/^kit-[0-9a-f]{8}$/);
      // About the least that could be called an operator.
      test.run(async (signal) => {
        try {
          for await (const { type, object } of client.watch(ConfigMap, { namespace, signal })) {
            if (type === 'ADDED' && object.metadata.name === 'web') copies.push(object.data?.colour ?? '');
          }
        } catch {
          ended = signal.aborted;
        }
      });
      await client.create(ConfigMap, { metadata: { name: 'web', namespace }, data: { colour: 'blue' } });
      await eventually(() => expect(copies).toEqual(['blue']));
      expect(test.requests.summary()).toEqual(['create ConfigMap web']);
      expect(test.signal.aborted).toBe(false);
    }
    expect(ended).toBe(true);
  });

  it('starts an operator in its namespace, and waits for its end', async () => {
    const log: string[] = [];
    const myapp = {
      async start({ client, namespaces, signal, http, log: level }: ScopedOptions) {
        log.push(`started with ${level} log, ${http ? 'a' : 'no'} port`);
        await client.create(ConfigMap, { metadata: { name: 'made', namespace: namespaces } });
        const ended = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => setTimeout(() => resolve(void log.push('ended')), 20)),
        );
        return { ended, answer: 42 };
      },
    };
    {
      await using test = await testScope();
      const running = await test.start(myapp);
      expect(running.answer).toBe(42);
      expect(test.requests.summary()).toEqual(['create ConfigMap made']);
    }
    expect(log).toEqual(['started with silent log, no port', 'ended']);
  });

  it('fails at its end when what ran in it failed', async () => {
    const test = await testScope();
    test.run(async () => {
      throw new Error('the operator fell over');
    });
    await expect(test.end()).rejects.toThrow('the operator fell over');
    await test.end();
  });

  it('cleans up in the reverse order, all of it', async () => {
    const done: string[] = [];
    const test = await testScope();
    test.onEnd(() => done.push('first made'));
    test.onEnd(() => {
      throw new Error('could not be cleaned up');
    });
    test.onEnd(async () => done.push('last made'));
    await expect(test.end()).rejects.toThrow('could not be cleaned up');
    expect(done).toEqual(['last made', 'first made']);
    await expect(test.client.list(ConfigMap, { namespace: test.namespace })).rejects.toThrow('closed');
  });
});

describe('a record of requests', () => {
  it('has what was asked for, of what, and how it was answered', async () => {
    await using test = await testScope('record');
    const { client, namespace, requests } = test;
    const web = { name: 'web', namespace };
    await client.create(ConfigMap, { metadata: web });
    await client.apply(ConfigMap, { metadata: web, data: { a: '1' } }, { fieldManager: 'kit', dryRun: true });
    await client.patch(ConfigMap, web, { data: { b: '2' } });
    await client.apply(ConfigMap, { metadata: { name: 'new', namespace } }, { fieldManager: 'kit' });
    await expect(client.create(ConfigMap, { metadata: web })).rejects.toThrow();
    await expect(client.get(Pod, { name: 'none', namespace }, { subresource: 'status' })).rejects.toSatisfy(isNotFound);
    await client.list(ConfigMap, { namespace });
    await client.delete(ConfigMap, web);
    await client.raw('GET', '/readyz');

    expect(requests.all.map((request) => [describeRequest(request), request.method, request.status])).toEqual([
      ['create ConfigMap web', 'POST', 201],
      ['apply ConfigMap web (dry run)', 'PATCH', 200],
      ['patch ConfigMap web', 'PATCH', 200],
      ['apply ConfigMap new', 'PATCH', 201],
      ['create ConfigMap web (KUR_CLIENT_ALREADY_EXISTS)', 'POST', 409],
      ['get Pod none/status (KUR_CLIENT_NOT_FOUND)', 'GET', 404],
      ['list ConfigMap', 'GET', 200],
      ['delete ConfigMap web', 'DELETE', 200],
      ['raw GET /readyz', 'GET', 200],
    ]);
    expect(requests.all[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', ...web, dryRun: false, sent: 1 });
    expect(requests.summary()).toEqual([
      'create ConfigMap web',
      'patch ConfigMap web',
      'apply ConfigMap new',
      'create ConfigMap web (KUR_CLIENT_ALREADY_EXISTS)',
      'delete ConfigMap web',
    ]);
    requests.clear();
    expect(requests.all).toEqual([]);
  });

  it('shows a watch as long as it is open, and how it ended', async () => {
    await using test = await testScope('record');
    const { client, namespace, requests } = test;
    await client.create(ConfigMap, { metadata: { name: 'web', namespace } });
    requests.clear();
    for await (const { type } of client.watch(ConfigMap, { namespace })) {
      expect(type).toBe('ADDED');
      expect(requests.all).toMatchObject([
        { verb: 'watch', kind: 'ConfigMap', namespace, status: 200, outcome: 'pending' },
      ]);
      break;
    }
    const broken = client.watch(ConfigMap, { namespace, labelSelector: '???' });
    await expect(broken[Symbol.asyncIterator]().next()).rejects.toThrow();
    expect(requests.all[1]).toMatchObject({ status: 400, outcome: 'KUR_CLIENT_REFUSED' });
  });

  it('keeps two that run at the same time apart, and counts what was sent again', async () => {
    await using test = await testScope('record');
    const nowhere = createClient({ server: 'http://127.0.0.1:1' });
    test.onEnd(() => nowhere.close());
    const [lost, found] = [recordRequests(nowhere), recordRequests(test.client)];
    await Promise.all([
      expect(lost.client.get(ConfigMap, { name: 'a', namespace: 'b' }, { retries: 1 })).rejects.toThrow(),
      found.client.list(ConfigMap, { namespace: test.namespace }),
    ]);
    expect(lost.requests.all).toMatchObject([{ outcome: 'KUR_CLIENT_UNREACHABLE', status: undefined, sent: 2 }]);
    expect(found.requests.all).toMatchObject([{ outcome: 'ok', status: 200 }]);
  });
});
