// Every example, run against the real API server.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConfigMap,
  createClient,
  installCrds,
  isNotFound,
  loadKubeconfig,
  Namespace,
  type Resource,
  Service,
} from '@kurator/sdk';
import { createCluster, eventually, type TestScope, testScope } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';

/** Starts an example in a namespace of its own. */
async function started(
  kinds: Resource[],
  example: { start(options: object): Promise<{ stop(): Promise<void> }> },
): Promise<TestScope> {
  const test = await testScope('example');
  await installCrds(test.client, kinds);
  const running = await example.start({ client: test.client, namespaces: test.namespace, http: false, log: 'silent' });
  test.onEnd(() => running.stop());
  return test;
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('examples', () => {
  it('owned children: made as a set, pruned when the set no longer has them', async () => {
    const { example, Page } = await import('../src/owned-children.ts');
    await using test = await started([Page], example);
    const { client, namespace } = test;
    const page = { name: 'home', namespace };
    await client.create(Page, { metadata: page, spec: { text: 'hello', public: true } });
    await eventually(async () => expect((await client.get(Page, page)).status?.children).toBe(2));
    await client.patch(Page, page, { spec: { public: false } });
    await eventually(async () => expect(await client.find(Service, page)).toBeUndefined());
    expect((await client.get(ConfigMap, page)).data).toEqual({ 'index.html': 'hello' });
  });

  it('watching others: follows what somebody else keeps, and says when it is missing', async () => {
    const { example, Banner } = await import('../src/watching-others.ts');
    await using test = await started([Banner], example);
    const { client, namespace } = test;
    const banner = { name: 'top', namespace };
    await client.create(Banner, { metadata: banner, spec: { textFrom: 'news' } });
    const ready = async () => (await client.get(Banner, banner)).status?.conditions?.[0];
    await eventually(async () => expect(await ready()).toMatchObject({ status: 'False', reason: 'SourceMissing' }));
    await client.create(ConfigMap, { metadata: { name: 'news', namespace }, data: { text: 'rain' } });
    await eventually(async () => expect((await client.get(Banner, banner)).status?.text).toBe('rain'));
    await client.patch(ConfigMap, { name: 'news', namespace }, { data: { text: 'sun' } });
    await eventually(async () => expect((await client.get(Banner, banner)).status?.text).toBe('sun'));
  });

  it('external system: the account is closed before the object goes, also when that fails at first', async () => {
    const accounts = new Map<string, unknown>();
    let failures = 2;
    const mail = createServer((request, response) => {
      const name = request.url?.split('/').at(-1) ?? '';
      if (request.method === 'PUT') accounts.set(name, true);
      else if (failures-- > 0) response.statusCode = 503;
      else accounts.delete(name);
      response.end();
    });
    process.env.MAIL_API = await listening(mail);
    const { example, Mailbox } = await import('../src/external-system.ts');
    await using test = await started([Mailbox], example);
    test.onEnd(() => mail.close());
    const { client, namespace } = test;
    const box = { name: 'ada', namespace };
    await client.create(Mailbox, { metadata: box, spec: { quota: 5 } });
    await eventually(async () => expect((await client.get(Mailbox, box)).status?.address).toBe('ada@example.com'));
    expect(accounts.size).toBe(1);
    await client.delete(Mailbox, box);
    await eventually(async () => expect(await client.find(Mailbox, box)).toBeUndefined(), { timeout: '20s' });
    expect(accounts.size).toBe(0);
  });

  it('webhooks: completes what is missing, and refuses with the name of the field', async () => {
    const { example, Ticket } = await import('../src/webhooks.ts');
    await using test = await started([Ticket], example);
    const { client, namespace } = test;
    const create = (name: string, assignee: string) =>
      client.create(Ticket, { metadata: { name, namespace }, spec: { title: '  leak ', assignee } });
    const { spec } = await create('leak', 'ada');
    expect(spec).toMatchObject({ title: 'leak', reporter: expect.any(String) });
    await expect(create('other', 'nobody')).rejects.toMatchObject({
      status: 422,
      causes: [{ field: 'spec.assignee', message: expect.stringContaining('must be one of the team') }],
    });
  });

  it('conversion: each user sees the version of his own', async () => {
    const { example, Timer } = await import('../src/conversion.ts');
    await using test = await started([Timer], example);
    const { client, namespace } = test;
    const egg = { name: 'egg', namespace };
    await client.create(Timer.at('v1alpha1'), { metadata: egg, spec: { length: '6m' } });
    expect((await client.get(Timer, egg)).spec).toEqual({ minutes: 6 });
    await client.patch(Timer, egg, { spec: { minutes: 8 } });
    expect((await client.get(Timer.at('v1alpha1'), egg)).spec).toEqual({ length: '8m' });
    await eventually(async () => expect((await client.get(Timer, egg)).status?.label).toBe('8 min'));
  });

  it('cron: writes at its times, and not while it is paused', async () => {
    const { example, Report } = await import('../src/cron.ts');
    await using test = await started([Report], example);
    const { client, namespace } = test;
    await client.create(Report, {
      metadata: { name: 'often', namespace },
      spec: { schedule: '* * * * * *', paused: false },
    });
    await client.create(Report, {
      metadata: { name: 'never', namespace },
      spec: { schedule: '* * * * * *', paused: true },
    });
    await eventually(async () => await client.get(ConfigMap, { name: 'often', namespace }));
    await expect(client.get(ConfigMap, { name: 'never', namespace })).rejects.toSatisfy(isNotFound);
  });

  it('daemon: follows for as long as its object lives, and ends with it', async () => {
    const ended = Promise.withResolvers<void>();
    const source = createServer((_, response) => {
      response.on('close', () => ended.resolve());
      response.write('one\ntwo\n');
    });
    const url = await listening(source);
    const { example, LogWatch } = await import('../src/daemon.ts');
    await using test = await started([LogWatch], example);
    test.onEnd(() => source.close());
    const { client, namespace } = test;
    const watch = { name: 'log', namespace };
    await client.create(LogWatch, { metadata: watch, spec: { url } });
    await eventually(async () => expect((await client.get(LogWatch, watch)).status?.lines).toBe(2));
    await client.delete(LogWatch, watch);
    await ended.promise;
  });

  it('multi-cluster: shown in both, gone from both', async () => {
    const { cluster } = await createCluster({ name: `example-${process.pid}` });
    const far = createClient(await loadKubeconfig(cluster.kubeconfig));
    const { example, Announcement } = await import('../src/multi-cluster.ts');
    await using test = await started([Announcement], example(cluster.kubeconfig));
    test.onEnd(async () => {
      await far.close();
      await cluster.down();
    });
    const { client, namespace } = test;
    await far.create(Namespace, { metadata: { name: namespace } });
    const party = { name: 'party', namespace };
    await client.create(Announcement, { metadata: party, spec: { text: 'at eight' } });
    for (const one of [client, far]) {
      await eventually(async () => expect((await one.get(ConfigMap, party)).data).toEqual({ text: 'at eight' }));
    }
    await client.delete(Announcement, party);
    await eventually(async () => expect(await far.find(ConfigMap, party)).toBeUndefined());
  });

  it('sharding: two share the objects, and one takes over when the other ends', async () => {
    const { example, Task } = await import('../src/sharding.ts');
    const { client, namespace, ...test } = await testScope('example');
    await installCrds(client, [Task]);
    const sharding = (identity: string) => ({ identity, namespace });
    const options = (identity: string) => ({
      client,
      namespaces: namespace,
      http: false as const,
      log: 'silent' as const,
      sharding: sharding(identity),
    });
    const [one, two] = await Promise.all([example('one').start(options('one')), example('two').start(options('two'))]);
    const names = Array.from({ length: 40 }, (_, i) => `task-${i}`);
    await Promise.all(names.map((name) => client.create(Task, { metadata: { name, namespace }, spec: { text: 'x' } })));
    const workers = async () =>
      new Set((await client.list(Task, { namespace })).items.map(({ status }) => status?.doneBy));
    await eventually(async () => expect(await workers()).toEqual(new Set(['one', 'two'])), { timeout: '40s' });
    await two.stop();
    await eventually(async () => expect(await workers()).toEqual(new Set(['one'])), { timeout: '40s' });
    await one.stop();
    await test.end();
  });
});
