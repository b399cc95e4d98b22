import { type Client, ConfigMap, createClient, Lease, resourceType, waitFor } from '@kurator/client';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createController } from '../src/controller/controller.ts';
import { ReportedEvent } from '../src/events/event.ts';
import { silentLogger } from '../src/insight/late-logger.ts';
import { createManager, type Manager, type ManagerOptions } from '../src/manager/manager.ts';
import { startProgram } from './support/program.ts';
import { runInTest } from './support/running-manager.ts';

const http = { host: '127.0.0.1', port: 0 };
const quick = { leaseDuration: '2s', renewDeadline: '1500ms', retryPeriod: '300ms' };

async function setUp() {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  const namespace = await testNamespace(client, 'manager');
  return { client, namespace, manager: (options: Partial<ManagerOptions> = {}) => managerOn(client, options) };
}

function managerOn(client: Client, options: Partial<ManagerOptions> = {}) {
  const logger = options.logger ?? silentLogger;
  return createManager({ client, name: 'kurator.test/it', http, signals: false, ...options, logger });
}

const get = async (manager: Manager, path: string, accept = '*/*') => {
  const answer = await fetch((await manager.url()) + path, { headers: { accept } });
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
};
const isReady = (manager: Manager) => expect.poll(async () => (await get(manager, '/readyz')).status).toBe(200);

describe('a manager', () => {
  it('tells over HTTP how it is, what it does, and how much', async () => {
    const { namespace, client, manager: make } = await setUp();
    const manager = make();
    const cache = manager.caches.of(ConfigMap, { namespace });
    const seen: string[] = [];
    manager.addController(
      createController({
        name: 'watcher',
        for: cache,
        observers: manager.observers('watcher', 'ConfigMap'),
        reconcile({ metadata }) {
          seen.push(metadata.name);
          if (metadata.name === 'bad') throw new Error('it has <b>no</b> data');
        },
      }),
    );
    manager.add({ name: 'pulse', run: async () => {}, health: () => undefined, readiness: () => undefined });
    void runInTest(manager);
    await isReady(manager);
    await client.create(ConfigMap, { metadata: { name: 'good', namespace } });
    await client.create(ConfigMap, { metadata: { name: 'bad', namespace } });
    await expect.poll(() => seen).toEqual(expect.arrayContaining(['good', 'bad']));

    expect(JSON.parse((await get(manager, '/healthz')).text)).toEqual({
      status: 'ok',
      checks: [
        { name: 'event-loop', ok: true },
        { name: 'pulse', ok: true },
      ],
    });
    expect(JSON.parse((await get(manager, '/readyz')).text)).toEqual({
      status: 'ok',
      checks: ['manager', 'caches', 'api-server', 'pulse'].map((name) => ({ name, ok: true })),
    });
    const { text: metrics, type } = await get(manager, '/metrics');
    expect(type).toContain('text/plain');
    expect(metrics).toMatch(/controller_runtime_reconcile_total\{controller="watcher",result="success"\} [1-9]/);
    expect(metrics).toMatch(/controller_runtime_reconcile_errors_total\{controller="watcher"\} [1-9]/);
    expect(metrics).toMatch(/workqueue_adds_total\{name="watcher",controller="watcher"\} [1-9]/);
    expect(metrics).toMatch(/rest_client_requests_total\{code="200",method="GET",host="[^"]+"\} [1-9]/);
    expect(metrics).toMatch(/kurator_cache_objects\{kind="ConfigMap"\} [2-9]/);
    expect(metrics).toMatch(/kurator_cache_sync_seconds\{kind="ConfigMap"\} \d/);

    const state = JSON.parse((await get(manager, '/debug')).text);
    expect(state).toMatchObject({
      name: 'kurator.test/it',
      phase: 'running',
      caches: [{ kind: 'ConfigMap', synced: true }],
      controllers: [{ name: 'watcher', failing: [{ key: `${namespace}/bad`, error: expect.stringContaining('no') }] }],
    });
    const page = await get(manager, '/debug', 'text/html,*/*');
    expect(page.type).toContain('text/html');
    expect(page.text).toContain('it has &lt;b&gt;no&lt;/b&gt; data');
  });

  it('says why it is not ready: a kind that is not installed, a server that is not there', async () => {
    const { manager: make } = await setUp();
    const manager = make();
    manager.caches.of(resourceType('nowhere.example.com/v1', 'Nothing'));
    const running = runInTest(manager);
    await expect
      .poll(async () => JSON.parse((await get(manager, '/readyz')).text).checks)
      .toEqual(
        expect.arrayContaining([
          { name: 'manager', ok: false, reason: 'it is starting' },
          { name: 'caches', ok: false, reason: expect.stringContaining('Nothing is not synced (') },
        ]),
      );
    expect((await get(manager, '/healthz')).status).toBe(200);
    manager.stop();
    expect(await running).toBe('stopped');

    const nowhere = createClient({ server: 'http://127.0.0.1:1' });
    onTestFinished(() => nowhere.close());
    const lost = managerOn(nowhere);
    void runInTest(lost);
    const readiness = await get(lost, '/readyz');
    expect(readiness.status).toBe(503);
    expect(readiness.text).toContain('no connection to http://127.0.0.1:1');
  });

  it('ends with a clear error when its port is taken', async () => {
    const { manager } = await setUp();
    const first = manager();
    void runInTest(first);
    const port = Number(new URL(await first.url()).port);
    await expect(manager({ http: { ...http, port } }).run()).rejects.toMatchObject({ code: 'KUR_RUNTIME_LISTEN' });
  });
});

describe('two managers that share a lease', () => {
  it('keep the second one warm, and let it act the moment the first has ended', async () => {
    const { client, namespace, manager: make } = await setUp();
    const acts: string[] = [];
    const replica = (name: string) => {
      // So slow that only a lease that was given back explains a quick change.
      const timing = { leaseDuration: '60s', renewDeadline: '40s', retryPeriod: '20s' };
      const manager = make({ leaderElection: { ...timing, namespace, lease: 'op', identity: name } });
      const cache = manager.caches.of(ConfigMap, { namespace });
      manager.addController(createController({ name, for: cache, reconcile: () => void acts.push(name) }));
      return { manager, cache, running: runInTest(manager) };
    };
    const first = replica('first');
    await expect.poll(() => first.manager.phase).toBe('running');
    const second = replica('second');
    await expect.poll(() => second.manager.phase).toBe('standby');
    await isReady(second.manager);
    await client.create(ConfigMap, { metadata: { name: 'a', namespace } });
    await expect.poll(() => second.cache.get({ name: 'a', namespace })).toBeDefined();
    expect(() => second.manager.fence()).toThrow();
    await expect(
      second.manager.leaderClient.create(ConfigMap, { metadata: { name: 'b', namespace } }),
    ).rejects.toMatchObject({ code: 'KUR_RUNTIME_NOT_LEADER' });
    await expect.poll(() => acts).toContain('first');
    expect(acts).not.toContain('second');
    const debug = JSON.parse((await get(second.manager, '/debug')).text);
    expect(debug.leader).toMatchObject({ leading: false, holder: 'first', lease: `${namespace}/op` });
    expect((await get(second.manager, '/metrics')).text).toContain('leader_election_master_status{name="op"} 0');

    first.manager.stop();
    expect(await first.running).toBe('stopped');
    await expect.poll(() => acts).toContain('second');
    await expect
      .poll(async () => (await client.list(ReportedEvent, { namespace })).items.map(({ note }) => note))
      .toEqual(expect.arrayContaining(['first became leader', 'first stopped leading']));
  });

  it('end the one that loses the lead, which then can write nothing', async () => {
    const { client, namespace, manager: make } = await setUp();
    const manager = make({ leaderElection: { ...quick, namespace, lease: 'op' } });
    const running = runInTest(manager);
    await expect.poll(() => manager.phase).toBe('running');
    await client.patch(Lease, { name: 'op', namespace }, { spec: { holderIdentity: 'usurper' } });
    expect(await running).toMatchObject({ code: 'KUR_RUNTIME_LEADERSHIP_LOST' });
    const write = manager.leaderClient.create(ConfigMap, { metadata: { name: 'late', namespace } });
    await expect(write).rejects.toMatchObject({ code: 'KUR_RUNTIME_LEADERSHIP_LOST' });
    expect((await client.get(Lease, { name: 'op', namespace })).spec?.holderIdentity).toBe('usurper');
  });
});

describe('a process with a manager', () => {
  const started = async (slow: number) => {
    const { client, namespace } = await setUp();
    const object = { name: 'work', namespace };
    await client.create(ConfigMap, { metadata: { ...object, labels: { slow: 'yes' } } });
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const { child, lines, errors, ended } = startProgram('managed-process', [namespace, String(slow)], end.signal);
    const state = async () => (await client.get(ConfigMap, object)).data?.state;
    await waitFor(client, ConfigMap, object, ({ data }) => data?.state === 'begun', { description: 'to be begun' });
    return { client, namespace, child, lines, errors, ended, state };
  };

  it('finishes what it has begun when it is told to end, gives the lease back, and logs it', async () => {
    const { client, namespace, child, lines, ended, state } = await started(1_000);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await state()).toBe('done');
    expect((await client.get(Lease, { name: 'process', namespace })).spec?.holderIdentity).toBe('');
    expect(lines.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['everything is up', 'this process leads', 'stopping', 'this process no longer leads']),
    );
    expect(lines[0]).toMatchObject({ operator: 'kurator.test/process', level: 'info' });
  });

  it('ends at once when it is told twice, with a code that says so', async () => {
    const { client, namespace, child, ended, state, lines, errors } = await started(60_000);
    child.kill('SIGTERM');
    await expect.poll(() => lines.map(({ message }) => message)).toContain('stopping');
    child.kill('SIGTERM');
    expect(await ended).toEqual([1, null]);
    expect(errors.join('\n')).toContain('KUR_RUNTIME_FORCED');
    expect(await state()).toBe('begun');
    expect((await client.get(Lease, { name: 'process', namespace })).spec?.holderIdentity).not.toBe('');
  });
});
