// The client against a real API server: what the two agree on.
import {
  APIService,
  type Client,
  ConfigMap,
  compareResourceVersions,
  createClient,
  Deployment,
  evict,
  getScale,
  isConflict,
  isDisruptionBudget,
  isExpired,
  isInitialEventsEnd,
  type KubernetesObject,
  Lease,
  microTime,
  Namespace,
  Node,
  Pod,
  Role,
  RoleBinding,
  requestToken,
  resourceType,
  resourceVersionsAreOrdered,
  serverVersion,
  setScale,
  type UntypedObject,
  untyped,
  versionSkew,
  type WatchEvent,
  waitFor,
  waitUntilGone,
} from '@kurator/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, place } from './api-server.ts';

let here: Place;
let client: Client;
let namespace: string;

beforeAll(async () => {
  here = await place();
  ({ client, namespace } = here);
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
});

const errorOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => expect.unreachable(),
    (error) => error,
  );
const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace }, data });

describe('reading', () => {
  it('gets what is there and finds what is not', async () => {
    expect(await client.get(Namespace, { name: 'kube-system' })).toMatchObject({ status: { phase: 'Active' } });
    expect(await client.find(Node, { name: 'nobody' })).toBeUndefined();
    expect(await errorOf(client.get(Node, { name: 'nobody' }))).toMatchObject({
      code: 'KUR_CLIENT_NOT_FOUND',
      status: 404,
      message: 'get Node nobody: nodes "nobody" not found',
    });
  });

  it('tells an unknown kind from an unknown object', async () => {
    const unknown = resourceType<UntypedObject>('example.com/v1', 'Widget');
    const unknownInKnownGroup = resourceType<UntypedObject>('apps/v1', 'Widget');
    for (const type of [unknown, unknownInKnownGroup]) {
      expect(await errorOf(client.list(type))).toMatchObject({ code: 'KUR_CLIENT_UNKNOWN_KIND' });
      expect(await errorOf(client.find(type, { name: 'a', namespace }))).toMatchObject({
        code: 'KUR_CLIENT_UNKNOWN_KIND',
      });
    }
  });

  it('lists by page and by selector', async () => {
    for (const name of ['page-a', 'page-b', 'page-c']) {
      await client.create(ConfigMap, { metadata: { name, namespace, labels: { of: 'pages' } } });
    }
    const selection = { namespace, labelSelector: 'of=pages' };
    const first = await client.list(ConfigMap, { ...selection, limit: 2 });
    const second = await client.list(ConfigMap, { ...selection, limit: 2, continue: first.metadata.continue ?? '' });
    expect([...first.items, ...second.items].map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap page-a',
      'ConfigMap page-b',
      'ConfigMap page-c',
    ]);
    expect(second.metadata.continue ?? '').toBe('');
    const one = await client.list(ConfigMap, { namespace, fieldSelector: 'metadata.name=page-b' });
    expect(one.items).toHaveLength(1);
  });

  it('reads any path', async () => {
    expect(await client.raw('GET', '/readyz')).toBe('ok');
    expect(await client.raw('GET', '/version')).toMatchObject({ major: '1' });
    expect(await client.raw('GET', '/api/v1/namespaces', { query: { limit: 1 } })).toMatchObject({
      kind: 'NamespaceList',
    });
  });
});

describe('writing', () => {
  it('creates, with a name that the server makes up', async () => {
    const made = await client.create(ConfigMap, { metadata: { generateName: 'made-', namespace } });
    expect(made.metadata.name).toMatch(/^made-.+/);
  });

  it('does not create twice', async () => {
    await client.create(ConfigMap, configMap('once'));
    expect(await errorOf(client.create(ConfigMap, configMap('once')))).toMatchObject({
      code: 'KUR_CLIENT_ALREADY_EXISTS',
      reason: 'AlreadyExists',
    });
  });

  it('replaces what it has read, unless someone was quicker', async () => {
    const read = await client.create(ConfigMap, configMap('replaced', { a: '1' }));
    await client.replace(ConfigMap, { ...read, data: { a: '2' } });
    expect(isConflict(await errorOf(client.replace(ConfigMap, { ...read, data: { a: '3' } })))).toBe(true);
  });

  it('patches by merge, strategic merge and JSON operations', async () => {
    await client.create(ConfigMap, configMap('patched', { a: '1', b: '2' }));
    const ref = { name: 'patched', namespace };
    await client.patch(ConfigMap, ref, { data: { a: null, c: '3' } });
    await client.patch(ConfigMap, ref, { data: { d: '4' } }, { type: 'strategic' });
    const patched = await client.patch(ConfigMap, ref, [{ op: 'remove', path: '/data/b' }], { type: 'json' });
    expect(patched.data).toEqual({ c: '3', d: '4' });
  });

  it('applies, gives up fields it no longer names, and takes others only by force', async () => {
    const apply = async (fieldManager: string, data: Record<string, string>, force = false) =>
      await client.apply(ConfigMap, configMap('applied', data), { fieldManager, force });
    await apply('one', { a: '1', b: '1' });
    expect((await apply('one', { a: '1' })).data).toEqual({ a: '1' });
    const conflict = await errorOf(apply('two', { a: '2' }));
    expect(conflict).toMatchObject({ code: 'KUR_CLIENT_CONFLICT', causes: [{ field: '.data.a' }] });
    expect((await apply('two', { a: '2' }, true)).data).toEqual({ a: '2' });
  });

  it('writes subresources', async () => {
    const node = await client.create(Node, { metadata: { generateName: 'client-test-' } });
    const ref = { name: node.metadata.name };
    const status = { conditions: [{ type: 'Ready', status: 'True' as const, reason: 'Test' }] };
    await client.patch(Node, ref, { status }, { subresource: 'status' });
    expect((await client.get(Node, ref)).status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    await client.delete(Node, ref);
  });

  it('asks what would happen without doing it', async () => {
    await client.create(ConfigMap, configMap('dry'), { dryRun: true });
    expect(await client.find(ConfigMap, { name: 'dry', namespace })).toBeUndefined();
  });

  it('refuses a misspelt field, and says which', async () => {
    const misspelt = { ...configMap('typo'), dta: {} };
    expect(await errorOf(client.create(ConfigMap, misspelt))).toMatchObject({
      message: expect.stringContaining('unknown field "dta"'),
    });
  });

  it('names every field that the server objects to', async () => {
    const spec = { containers: [{ name: 'Not_A_Name', image: 'x' }, { name: 'b' }] };
    const error = await errorOf(client.create(Pod, { metadata: { name: 'bad', namespace }, spec }));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_INVALID', status: 422 });
    expect(error.causes.map(({ field }: { field: string }) => field)).toEqual(
      expect.arrayContaining(['spec.containers[0].name', 'spec.containers[1].image']),
    );
  });

  it('keeps the microseconds of a lease', async () => {
    const renewTime = microTime(Date.parse('2026-01-02T03:04:05Z') + 678.901);
    expect(renewTime).toBe('2026-01-02T03:04:05.678901Z');
    const lease = await client.create(Lease, { metadata: { name: 'micro', namespace }, spec: { renewTime } });
    expect(lease.spec?.renewTime).toBe(renewTime);
  });
});

describe('deleting', () => {
  it('spares an object that is no longer the one that was seen', async () => {
    const { metadata } = await client.create(ConfigMap, configMap('precious'));
    const stale = client.delete(ConfigMap, metadata, { preconditions: { uid: 'of-an-earlier-one' } });
    expect(isConflict(await errorOf(stale))).toBe(true);
    await client.delete(ConfigMap, metadata, { preconditions: { uid: metadata.uid ?? '' } });
    expect(await client.find(ConfigMap, metadata)).toBeUndefined();
  });

  it('is asked for, and finalizers are waited for', async () => {
    const ref = { name: 'held', namespace };
    await client.create(ConfigMap, { metadata: { ...ref, finalizers: ['example.com/hold'] } });
    await client.delete(ConfigMap, ref);
    expect((await client.get(ConfigMap, ref)).metadata.deletionTimestamp).toBeDefined();
    const gone = waitUntilGone(client, ConfigMap, ref, { timeout: 10_000 });
    await client.patch(ConfigMap, ref, { metadata: { finalizers: null } });
    await gone;
  });
});

describe('deleting many', () => {
  it('takes those that are meant, in one namespace', async () => {
    for (const of of ['go', 'go', 'stay']) {
      await client.create(ConfigMap, { metadata: { generateName: `${of}-`, namespace, labels: { of } } });
    }
    await client.deleteCollection(ConfigMap, { namespace, labelSelector: 'of=go' });
    const { items } = await client.list(ConfigMap, { namespace, labelSelector: 'of in (go, stay)' });
    expect(items.map(({ metadata }) => metadata.labels?.of)).toEqual(['stay']);
  });

  it('never means all namespaces', async () => {
    expect(await errorOf(client.deleteCollection(ConfigMap, {}))).toMatchObject({ code: 'KUR_CLIENT_INVALID_REQUEST' });
  });
});

describe('subresources', () => {
  const containers = [{ name: 'c', image: 'example.com/none' }];
  const labels = { of: 'scale' };

  it('scale', async () => {
    const ref = { name: 'scaled', namespace };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    await client.create(Deployment, { metadata: ref, spec });
    expect((await setScale(client, Deployment, ref, 3)).spec?.replicas).toBe(3);
    expect(await getScale(client, Deployment, ref)).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
  });

  it('evict, unless a disruption budget forbids it', async () => {
    await client.create(untyped('policy/v1', 'PodDisruptionBudget'), {
      metadata: { name: 'keep', namespace },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    const running = { conditions: [{ type: 'Ready', status: 'True' }], phase: 'Running' };
    for (const [name, own] of Object.entries({ kept: labels, free: {} })) {
      await client.create(Pod, { metadata: { name, namespace, labels: own }, spec: { containers } });
      await client.patch(Pod, { name, namespace }, { status: running }, { subresource: 'status' });
    }
    const forbidden = await errorOf(evict(client, { name: 'kept', namespace }));
    expect(isDisruptionBudget(forbidden)).toBe(true);
    await evict(client, { name: 'free', namespace });
    expect(await client.find(Pod, { name: 'free', namespace })).toBeUndefined();
  });

  it('token', async () => {
    const options = { audiences: ['someone'], expirationSeconds: 600 };
    const { token, expirationTimestamp } = await requestToken(client, { name: 'default', namespace }, options);
    const [, claims = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ aud: ['someone'] });
    expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now());
  });
});

describe('discovery', () => {
  it('finds built-in kinds', async () => {
    expect(await client.discover('apps/v1', 'Deployment')).toMatchObject({
      plural: 'deployments',
      namespaced: true,
      shortNames: ['deploy'],
      verbs: expect.arrayContaining(['list', 'watch', 'deletecollection']),
      subresources: expect.arrayContaining(['status', 'scale']),
    });
    const found = await client.discover('v1', 'Node');
    expect((await client.list(found)).items).toEqual([]);
  });

  it('finds a kind as soon as it is installed', async () => {
    const gadget = async () => await client.discover('kurator.example.com/v1', 'Gadget');
    expect(await errorOf(gadget())).toMatchObject({ code: 'KUR_CLIENT_UNKNOWN_KIND' });
    await client.create(untyped('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { namespaced: false }), {
      metadata: { name: 'gadgetry.kurator.example.com' },
      spec: {
        group: 'kurator.example.com',
        scope: 'Cluster',
        names: { plural: 'gadgetry', kind: 'Gadget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const found = async () => await gadget().catch((error: unknown) => error);
    await expect
      .poll(found, { timeout: 20_000, interval: 300 })
      .toMatchObject({ plural: 'gadgetry', namespaced: false });
    await client.create(await gadget(), { metadata: { name: 'one' } });
  }, 30_000);

  it('says where else a kind is', async () => {
    expect(await errorOf(client.discover('apps/v1beta1', 'Deployment'))).toMatchObject({
      message: 'the server has no Deployment in apps/v1beta1: it has one in apps/v1',
    });
  });
});

describe('watching', () => {
  it('tells what happens after a list, and bookmarks how far it has come', async () => {
    const selection = { namespace, labelSelector: 'of=watch' };
    const { metadata } = await client.list(ConfigMap, selection);
    const events: WatchEvent<ConfigMap>[] = [];
    const watching = (async () => {
      // The server sends a bookmark some two seconds before it ends a watch, if it finds the time, and sooner or later
      // it does.
      let resourceVersion = metadata.resourceVersion ?? '';
      while (events.at(-1)?.type !== 'BOOKMARK') {
        for await (const event of client.watch(ConfigMap, { ...selection, resourceVersion, timeoutSeconds: 6 })) {
          events.push(event);
          resourceVersion = event.object.metadata.resourceVersion ?? '';
          if (event.type === 'BOOKMARK') break;
        }
      }
    })();
    const ref = { name: 'watched', namespace };
    await client.create(ConfigMap, { metadata: { ...ref, labels: { of: 'watch' } } });
    await client.patch(ConfigMap, ref, { data: { snow: '雪'.repeat(20_000) } });
    await client.delete(ConfigMap, ref);
    await watching;
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(types.at(-1)).toBe('BOOKMARK');
    expect(events[1]).toMatchObject({ object: { kind: 'ConfigMap', data: { snow: '雪'.repeat(20_000) } } });
  });

  it('streams what there is, marks its end, and goes on with what happens', async () => {
    const labels = { of: 'stream' };
    for (const name of ['stream-a', 'stream-b'])
      await client.create(ConfigMap, { metadata: { name, namespace, labels } });
    const seen: string[] = [];
    const options = { namespace, labelSelector: 'of=stream', sendInitialEvents: true };
    for await (const event of client.watch(ConfigMap, options)) {
      if (isInitialEventsEnd(event)) {
        seen.push('all');
        await client.delete(ConfigMap, { name: 'stream-a', namespace });
      } else if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`);
      if (event.type === 'DELETED') break;
    }
    expect(seen).toEqual(['ADDED stream-a', 'ADDED stream-b', 'all', 'DELETED stream-a']);
  });

  it('lists and watches metadata only', async () => {
    await client.create(ConfigMap, { metadata: { name: 'meta', namespace, labels: { of: 'meta' } }, data: { a: '1' } });
    const options = { namespace, labelSelector: 'of=meta', metadataOnly: true };
    const { items } = await client.list<KubernetesObject>(ConfigMap, options);
    const shape = { apiVersion: 'v1', kind: 'ConfigMap', metadata: expect.objectContaining({ name: 'meta' }) };
    expect(items).toEqual([shape]);
    for await (const event of client.watch<KubernetesObject>(ConfigMap, options)) {
      expect(event.object).toEqual(shape);
      break;
    }
  });

  it('hands over events as lines', async () => {
    await client.create(ConfigMap, { metadata: { name: 'lines', namespace, labels: { of: 'lines' } } });
    for await (const [line] of client.watchLines(ConfigMap, { namespace, labelSelector: 'of=lines' })) {
      expect(JSON.parse(Buffer.from(line ?? []).toString())).toMatchObject({
        type: 'ADDED',
        object: { metadata: { name: 'lines' } },
      });
      break;
    }
  });

  it('waits for a condition', async () => {
    const ref = { name: 'awaited', namespace };
    const waiting = waitFor(client, ConfigMap, ref, ({ data }) => data?.done === 'yes', { timeout: 10_000 });
    await client.create(ConfigMap, configMap('awaited'));
    await client.patch(ConfigMap, ref, { data: { done: 'yes' } });
    expect((await waiting).data).toEqual({ done: 'yes' });
  });

  it('says what it waited for in vain', async () => {
    const options = { timeout: 300, description: 'to be Ready' };
    expect(await errorOf(waitFor(client, Pod, { name: 'p', namespace }, () => true, options))).toMatchObject({
      code: 'KUR_CLIENT_TIMEOUT',
      message: `waited 0.3 s for Pod ${namespace}/p to be Ready: it does not exist`,
    });
  });
});

describe('identity', () => {
  it('nobody is refused, with what was asked in the message', async () => {
    const { server, ca = '' } = client.config;
    await using nobody = createClient({ server, ca });
    expect(await errorOf(nobody.list(APIService))).toMatchObject({
      code: 'KUR_CLIENT_FORBIDDEN',
      message: expect.stringContaining('cannot list resource "apiservices"'),
    });
  });

  it('whoever lacks a permission is told the rule that would give it, and with that rule it works', async () => {
    await using jane = createClient({ ...client.config, impersonate: { user: 'jane' } });
    const asking = async () => await jane.list(ConfigMap, { namespace });
    const refused = await errorOf(asking());
    expect(refused).toMatchObject({ code: 'KUR_CLIENT_FORBIDDEN', missingRule: { namespace } });
    const { rule } = refused.missingRule;
    expect(rule).toEqual({ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] });
    await client.create(Role, { metadata: { name: 'jane', namespace }, rules: [rule] });
    await client.create(RoleBinding, {
      metadata: { name: 'jane', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'jane' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    await expect.poll(async () => await asking().catch(() => undefined)).toMatchObject({ kind: 'ConfigMapList' });
  });

  it('a wrong token is refused', async () => {
    const { server, ca = '' } = client.config;
    await using stranger = createClient({ server, ca, token: 'wrong' });
    expect(await errorOf(stranger.list(Pod))).toMatchObject({ code: 'KUR_CLIENT_UNAUTHORIZED' });
  });

  it('a server that the CA did not sign is not talked to', async () => {
    await using careful = createClient({ server: client.config.server });
    expect(await errorOf(careful.raw('GET', '/readyz'))).toMatchObject({ code: 'KUR_CLIENT_TLS' });
  });

  it('a server of another name is not talked to', async () => {
    await using careful = createClient({ ...client.config, tlsServerName: 'someone.else' });
    expect(await errorOf(careful.raw('GET', '/readyz'))).toMatchObject({ code: 'KUR_CLIENT_TLS' });
  });
});

it('knows the version of its server, and that its resourceVersions are ordered', async () => {
  const version = await serverVersion(client);
  expect(versionSkew(version)).toBeUndefined();
  expect(resourceVersionsAreOrdered(version)).toBe(true);
  const { metadata: before } = await client.create(ConfigMap, configMap('ordered'));
  const { metadata: after } = await client.patch(ConfigMap, before, { data: { a: '1' } });
  expect(compareResourceVersions(before.resourceVersion ?? '', after.resourceVersion ?? '')).toBeLessThan(0);
});

it('a continue token that makes no sense is an error', async () => {
  const error = await errorOf(client.list(ConfigMap, { namespace, limit: 1, continue: 'nonsense' }));
  expect(isExpired(error)).toBe(false);
  expect(error).toMatchObject({ code: 'KUR_CLIENT_REFUSED', status: 400 });
});
