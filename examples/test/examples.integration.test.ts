// Every example, run against the real API server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type Client,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  createClient,
  installCrds,
  isNotFound,
  Lease,
  loadKubeconfig,
  Namespace,
  Pod,
  type Resource,
  type RunningOperator,
  requestToken,
  Secret,
  Service,
  ServiceAccount,
} from '@kurator/sdk';
import { createCluster, eventually, type TestScope, testScope } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';

/** Starts an example in a namespace of its own. */
async function started(
  kinds: Resource[],
  example: { start(options: object): Promise<RunningOperator> },
): Promise<TestScope & { running: RunningOperator }> {
  const test = await testScope('example');
  await installCrds(test.client, kinds);
  const running = await example.start({ client: test.client, namespaces: test.namespace, http: false, log: 'silent' });
  test.onEnd(() => running.stop());
  return Object.assign(test, { running });
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function tokenOf(client: Client, name: string, namespace: string): Promise<string> {
  await client.create(ServiceAccount, { metadata: { name, namespace } });
  return (await requestToken(client, { name, namespace })).token;
}

/** What a server answers that must be believed by this authority. */
async function answerTo(
  url: string,
  ca: string,
  token?: string,
): Promise<{ status: number | undefined; body: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const asked = request(url, { ca, headers, agent: false });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
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

  it('shared children: have each of their owners, and no controller', async () => {
    const { example, Team } = await import('../src/shared-children.ts');
    await using test = await started([Team], example);
    const { client, namespace } = test;
    const rules = { name: 'rules', namespace };
    const owners = async () => {
      const { metadata } = await client.get(ConfigMap, rules);
      return metadata.ownerReferences?.map(({ kind, name, controller }) => `${kind} ${name} ${controller}`).sort();
    };
    const teams = ['blue', 'green', 'red'].map((name) => ({ name, namespace }));
    await Promise.all(teams.map((metadata) => client.create(Team, { metadata, spec: { members: 3 } })));
    const all = ['Team blue undefined', 'Team green undefined', 'Team red undefined'];
    await eventually(async () => expect(await owners()).toEqual(all));
    // What is changed is put back, once and for all of them, and each of them is looked after.
    await client.patch(ConfigMap, rules, { data: { quiet: 'never' }, metadata: { ownerReferences: null } });
    for (const team of teams) await client.patch(Team, team, { spec: { members: 4 } });
    await eventually(async () => expect((await client.get(ConfigMap, rules)).data).toEqual({ quiet: 'after ten' }));
    await eventually(async () => expect(await owners()).toEqual(all));
    const { resourceVersion } = (await client.get(ConfigMap, rules)).metadata;
    for (const team of teams) {
      await client.patch(Team, team, { spec: { members: 5 } });
      await eventually(async () => {
        const { metadata, status } = await client.get(Team, team);
        expect(status?.conditions?.[0]).toMatchObject({ status: 'True', observedGeneration: metadata.generation });
      });
    }
    expect((await client.get(ConfigMap, rules)).metadata.resourceVersion).toBe(resourceVersion);
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

  it('slim caches: hold what was chosen of what was chosen, and follow it', async () => {
    const { example, Census } = await import('../src/slim-caches.ts');
    await using test = await started([Census], example);
    const { client, namespace } = test;
    const census = { name: 'all', namespace };
    await client.create(Census, { metadata: census, spec: {} });
    const status = async () => (await client.get(Census, census)).status;
    await eventually(async () => expect(await status()).toMatchObject({ secrets: 0, nodes: [] }));
    await client.create(Secret, { metadata: { name: 'key', namespace }, stringData: { key: 'hush' } });
    await client.create(ServiceAccount, { metadata: { name: 'default', namespace } });
    const spec = { nodeName: 'far-away', containers: [{ name: 'web', image: 'web' }] };
    await client.create(Pod, { metadata: { name: 'web', namespace }, spec });
    await client.create(Pod, { metadata: { name: 'waits', namespace }, spec });
    await client.patch(Pod, { name: 'web', namespace }, { status: { phase: 'Running' } }, { subresource: 'status' });
    await eventually(async () =>
      expect(await status()).toMatchObject({ secrets: 1, nodes: ['far-away'], kept: ['metadata', 'spec'] }),
    );
    await client.patch(Pod, { name: 'web', namespace }, { status: { phase: 'Failed' } }, { subresource: 'status' });
    await eventually(async () => expect(await status()).toMatchObject({ nodes: [], kept: ['metadata'] }));
  });

  it('authorized metrics: for those who may, and for nobody else', async () => {
    const { example, Till } = await import('../src/authorized-metrics.ts');
    await using test = await testScope('example');
    const { client, namespace } = test;
    await installCrds(client, [Till]);
    // In a namespace of its own, as in a pod: the Secret with its certificate is made there.
    const there = createClient({ ...client.config, namespace });
    test.onEnd(() => there.close());
    const running = await example.start({ client: there, namespaces: namespace, log: 'silent' });
    test.onEnd(() => running.stop());

    const till = { name: 'one', namespace };
    await client.create(Till, { metadata: till, spec: { amount: 3 } });
    await eventually(async () => expect((await client.get(Till, till)).status?.counted).toBe(3));
    const url = await running.manager.metricsUrl();
    expect(url).toMatch(/^https:.*\/metrics$/);
    expect((await fetch(`${await running.manager.url()}/metrics`)).status).toBe(404);

    const keys = await client.get(Secret, { name: 'example-till-metrics', namespace });
    const ca = Buffer.from(keys.data?.['ca.crt'] ?? '', 'base64').toString();
    const ask = (token?: string) => answerTo(url, ca, token);
    expect((await ask()).status).toBe(401);
    expect((await ask('made-up')).status).toBe(401);
    const tokens = await Promise.all(['prometheus', 'passer-by'].map((name) => tokenOf(client, name, namespace)));
    const role = `metrics-${namespace}`;
    await client.create(ClusterRole, {
      metadata: { name: role },
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    });
    await client.create(ClusterRoleBinding, {
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name: 'prometheus', namespace }],
    });
    test.onEnd(async () => {
      await client.delete(ClusterRoleBinding, { name: role });
      await client.delete(ClusterRole, { name: role });
    });
    await eventually(async () => expect((await ask(tokens[0])).status).toBe(200), { timeout: '30s' });
    expect((await ask(tokens[0])).body).toContain('controller_runtime_reconcile_total{controller="till"');
    expect((await ask(tokens[1])).status).toBe(403);

    const { cluster, own } = await example.permissions();
    const reviews = cluster.flatMap(({ resources = [], verbs }) => resources.map((resource) => `${verbs} ${resource}`));
    expect(reviews).toEqual(expect.arrayContaining(['create tokenreviews', 'create subjectaccessreviews']));
    expect(own).toContainEqual(expect.objectContaining({ resourceNames: ['example-till-metrics'] }));
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

  it('changes: are told field by field, since they were last acted on', async () => {
    const { example, Price } = await import('../src/changes.ts');
    await using test = await started([Price], example);
    const { client, namespace } = test;
    const tea = { name: 'tea', namespace };
    await client.create(Price, { metadata: tea, spec: { amount: 3, currency: 'EUR' } });
    const changes = async () => (await client.get(Price, tea)).status?.changes;
    await eventually(async () =>
      expect(await changes()).toEqual(['amount: undefined → 3', 'currency: undefined → EUR']),
    );
    await client.patch(Price, tea, { spec: { amount: 4 } });
    await eventually(async () => expect(await changes()).toEqual(['amount: 3 → 4']));
  });

  it('webhooks: completes what is missing, and refuses with the name of the field', async () => {
    const { example, Ticket } = await import('../src/webhooks.ts');
    await using test = await started([Ticket], example);
    const { client, namespace } = test;
    const create = (name: string, assignee: string) =>
      client.create(Ticket, { metadata: { name, namespace }, spec: { title: '  leak ', assignee } });
    const { spec } = await create('leak', 'ada');
    expect(spec).toMatchObject({ title: 'leak', reporter: expect.any(String) });
    expect(test.running.manager.caches.all()).toEqual([]);
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

  it('fleet: works in a cluster for as long as it is a member', async () => {
    const { example, Notice } = await import('../src/fleet.ts');
    await using test = await started([], example);
    const { client, namespace } = test;
    const { cluster } = await createCluster({ name: `example-fleet-${process.pid}` });
    const config = await loadKubeconfig(cluster.kubeconfig);
    const far = createClient(config);
    test.onEnd(async () => {
      await far.close();
      await cluster.down();
    });
    const { server, ca = '', cert = '', key = '' } = config;
    const member = { name: 'west', namespace, labels: { 'examples.kurator.sh/fleet': 'member' } };
    const stringData = { server, 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key, namespace: 'default' };
    await client.create(Secret, { metadata: member, stringData });
    const post = async (name: string) => {
      await eventually(async () => {
        await far.create(Notice, { metadata: { name, namespace: 'default' }, spec: { text: name } });
      });
      return async () => (await far.find(ConfigMap, { name, namespace: 'default' }))?.data;
    };
    const first = await post('first');
    await eventually(async () => expect(await first()).toEqual({ text: 'first' }), { timeout: '20s' });
    await client.delete(Secret, member);
    // It lets go of its Lease once it has stopped.
    const lease = async () => (await far.get(Lease, { name: 'notices', namespace: 'default' })).spec?.holderIdentity;
    await eventually(async () => expect((await lease()) || undefined).toBeUndefined());
    const second = await post('second');
    await client.create(Secret, { metadata: { ...member, name: 'west-again' }, stringData });
    await eventually(async () => expect(await second()).toEqual({ text: 'second' }), { timeout: '20s' });
  });

  it('every replica: all have the routes, one leads', async () => {
    const { example, Route } = await import('../src/every-replica.ts');
    await using test = await testScope('example');
    const { client, namespace } = test;
    await installCrds(client, [Route]);
    const tables = ['one', 'two'].map((replica) => ({ replica, routes: new Map<string, string>() }));
    for (const { replica, routes } of tables) {
      const running = await example(replica, routes).start({
        client,
        namespaces: namespace,
        http: false,
        log: 'silent',
        leaderElection: { namespace, identity: replica },
      });
      test.onEnd(() => running.stop());
    }
    const home = { name: 'home', namespace };
    await client.create(Route, { metadata: home, spec: { path: '/', to: 'web' } });
    for (const { routes } of tables) await eventually(async () => expect(routes.get('/')).toBe('web'));
    await eventually(async () => expect((await client.get(Route, home)).status?.countedBy).toMatch(/^(one|two)$/));
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
