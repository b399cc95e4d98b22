/**
 * What an operator meets on its first day: a kind that nobody has installed, a permission that nobody has given, a
 * server that is not there. It says what is missing and what would help, asks seldom, and goes on as soon as it can.
 */
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  ConfigMap,
  createClient,
  Role,
  RoleBinding,
  resourceType,
  type UntypedObject,
} from '@kurator/client';
import { eventually, sharedClient, testNamespace } from '@kurator/testenv';
import { expect, it, onTestFinished } from 'vitest';
import { createController } from '../src/controller/controller.ts';
import { silentLogger } from '../src/insight/late-logger.ts';
import { createManager, type Manager, type ManagerOptions } from '../src/manager/manager.ts';
import { operator } from '../src/operator/declare-operator.ts';
import { runInTest } from './support/running-manager.ts';

interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

async function setUp() {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  return { client, namespace: await testNamespace(client, 'trouble') };
}

/** A manager that runs until the test ends, what it logs, and how it ended. */
function managed(client: Client, options: Partial<ManagerOptions> = {}) {
  const log: LogLine[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void log.push({ level, fields: { ...fields }, message });
  const logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => logger,
  };
  const manager = createManager({ client, http: false, signals: false, logger, ...options });
  return { manager, log, start: () => runInTest(manager) };
}

const reasonOf = async (manager: Manager, check: string) =>
  (await manager.readiness()).checks.find(({ name }) => name === check)?.reason;

const isReady = async (manager: Manager) => {
  await eventually(async () => expect(await manager.readiness()).toMatchObject({ ok: true }), { timeout: 40_000 });
};

let kinds = 0;

/** A kind that nobody else has, and how to install it. */
function newKind(client: Client) {
  const kind = `Thing${process.pid}n${++kinds}`;
  const plural = `${kind.toLowerCase()}s`;
  const Definition = resourceType<UntypedObject>('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    namespaced: false,
  });
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const install = async () => {
    await client.create(Definition, {
      metadata: { name: `${plural}.trouble.kurator.dev` },
      spec: {
        group: 'trouble.kurator.dev',
        scope: 'Namespaced',
        names: { plural, kind },
        versions: [version],
      },
    });
  };
  return { Thing: resourceType('trouble.kurator.dev/v1', kind, { plural }), install };
}

it('waits for a kind that is not installed, says so, and begins when it is', async () => {
  const { client, namespace } = await setUp();
  const { Thing, install } = newKind(client);
  const { manager, start } = managed(client);
  const seen: string[] = [];
  const things = manager.caches.of(Thing, { namespace });
  const reconcile = ({ metadata }: { metadata: { name: string } }) => void seen.push(metadata.name);
  manager.addController(createController({ name: 'things', for: things, reconcile }));
  void start();
  await eventually(async () => {
    expect(await reasonOf(manager, 'caches')).toContain(`is the definition of ${Thing.kind} installed?`);
  });
  expect((await manager.health()).ok).toBe(true);
  await install();
  await isReady(manager);
  await client.create(Thing, { metadata: { name: 'first', namespace } });
  await eventually(() => expect(seen).toEqual(['first']));
});

it('ends where a kind is not installed, if that is what was asked for', async () => {
  const { client, namespace } = await setUp();
  const { Thing } = newKind(client);
  const { manager, start } = managed(client, { missingKinds: 'fail' });
  manager.caches.of(ConfigMap, { namespace });
  manager.caches.of(Thing, { namespace });
  expect(await start()).toMatchObject({
    code: 'KUR_RUNTIME_RUNNABLE_FAILED',
    message: expect.stringContaining(`is the definition of ${Thing.kind} installed?`),
    cause: { code: 'KUR_CLIENT_UNKNOWN_KIND' },
  });
});

it('does not start as an operator either, and says which kind is missing', async () => {
  const { client, namespace } = await setUp();
  const { Thing } = newKind(client);
  const things = operator({ name: 'things', namespaces: namespace, missingKinds: 'fail', leaderElection: false })
    .controller(Thing)
    .reconcile(async () => undefined);
  await expect(things.start({ client, http: false, log: silentLogger })).rejects.toThrow(
    `is the definition of ${Thing.kind} installed?`,
  );
});

it('names the rule that is missing, and goes on when it is given', async () => {
  const { client, namespace } = await setUp();
  const jane = createClient({ ...client.config, impersonate: { user: 'jane' } });
  onTestFinished(() => jane.close());
  const { manager, log, start } = managed(jane);
  const maps = manager.caches.of(ConfigMap, { namespace });
  const failures: unknown[] = [];
  const reconcile = async ({ metadata }: ConfigMap) => {
    await jane.patch(ConfigMap, metadata, { data: { seen: 'yes' } });
  };
  const observer = {
    onReconcileStart: () => {},
    onReconcileEnd: (_: string, { error }: { error?: unknown }) => void failures.push(error),
  };
  manager.addController(createController({ name: 'jane', for: maps, observers: [observer], reconcile }));
  void start();

  const mayWatch = '{ verbs: ["watch"], apiGroups: [""], resources: ["configmaps"] }';
  await eventually(async () => {
    expect(await reasonOf(manager, 'caches')).toContain(
      `this rule in a Role in the namespace "${namespace}" (or a ClusterRole) would allow it: ${mayWatch}`,
    );
  });
  const told = log.find(({ message }) => message.startsWith('a watch was broken off'));
  expect(told).toMatchObject({ level: 'warn', fields: { kind: 'ConfigMap', error: { missingRule: { namespace } } } });

  const grant = grantTo('jane', client, namespace);
  await grant({ verbs: ['watch'], apiGroups: [''], resources: ['configmaps'] });
  await isReady(manager);
  await client.create(ConfigMap, { metadata: { name: 'a', namespace } });
  const mayPatch = { verbs: ['patch'], apiGroups: [''], resources: ['configmaps'] };
  await eventually(() =>
    expect(failures).toContainEqual(expect.objectContaining({ missingRule: { namespace, rule: mayPatch } })),
  );
  await grant(mayPatch);
  await eventually(async () =>
    expect(await client.get(ConfigMap, { name: 'a', namespace })).toMatchObject({ data: { seen: 'yes' } }),
  );
});

function grantTo(user: string, client: Client, namespace: string) {
  const apiGroup = 'rbac.authorization.k8s.io';
  return async (rule: { verbs: string[]; apiGroups: string[]; resources: string[] }) => {
    const metadata = { name: `${user}-may-${rule.verbs.join('-')}`, namespace };
    await client.create(Role, { metadata, rules: [rule] });
    await client.create(RoleBinding, {
      metadata,
      roleRef: { apiGroup, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'User', name: user, apiGroup }],
    });
  };
}

it('asks seldom where no server is to be found, and says so', async () => {
  let asked = 0;
  const nobody = createServer((socket) => {
    asked += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void nobody.close());
  const { port } = nobody.address() as { port: number };
  const client = createClient({ server: `http://127.0.0.1:${port}` });
  onTestFinished(() => client.close());

  const { manager, start } = managed(client);
  for (const namespace of ['one', 'two', 'three']) manager.caches.of(ConfigMap, { namespace });
  const ended = start();
  await eventually(async () =>
    expect(await reasonOf(manager, 'caches')).toContain(`no connection to http://127.0.0.1:${port}`),
  );
  expect(await reasonOf(manager, 'api-server')).toContain(`no connection to http://127.0.0.1:${port}`);
  asked = 0;
  await delay(5_000);
  // Each cache begins anew after pauses of 0.2 s, 0.4 s, 0.8 s …
  expect(asked).toBeLessThan(3 * 8);
  await eventually(async () => expect(asked).toBeGreaterThan(0));
  expect((await manager.health()).ok).toBe(true);
  manager.stop();
  expect(await ended).toBe('stopped');
});
