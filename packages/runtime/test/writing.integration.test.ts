// Writing against the real API server: what is sent, what is spared, and what two writers can't do to each other.
import {
  type Client,
  ConfigMap,
  Deployment,
  type KubernetesObject,
  Namespace,
  Secret,
  waitUntilGone,
} from '@kurator/client';
import { eventually, testNamespace } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCache, type RunnableCache } from '../src/cache/cache.ts';
import { declarationOf, managedByLabel } from '../src/writing/declaration.ts';
import { createWriter, type Writer } from '../src/writing/writer.ts';
import { Echo } from './support/echo.ts';
import { echoPlace } from './support/echo-place.ts';
import { type RecordedWrite, recordingClient, summary } from './support/recording-client.ts';

let client: Client;
let namespace: string;
let stop: AbortController;
let writes: RecordedWrite[];
let recorded: Client;

beforeEach(async () => {
  ({ client, namespace } = await echoPlace('writing'));
  stop = new AbortController();
  ({ client: recorded, writes } = recordingClient(client));
});

afterEach(() => stop.abort());

async function cacheOf<T extends KubernetesObject>(
  type: Parameters<typeof createCache<T>>[1],
): Promise<RunnableCache<T>> {
  const cache = createCache<T>(client, type, { namespace });
  void cache.run(stop.signal);
  await cache.untilSynced(AbortSignal.timeout(10_000));
  return cache;
}

function writerOn(caches: RunnableCache<KubernetesObject>[], fieldManager = 'echo-operator'): Writer {
  return createWriter({ client: recorded, fieldManager, caches });
}

const newEcho = (name = 'hello', metadata = {}) =>
  client.create(Echo, { metadata: { name, namespace, ...metadata }, spec: { message: 'hi' } });

/** Waits until a cache has what somebody else wrote. */
const caughtUp = <T extends KubernetesObject>(cache: RunnableCache<T>, { metadata }: T) =>
  eventually(() => expect(cache.get(metadata)?.metadata.resourceVersion).toBe(metadata.resourceVersion));

describe('applying a child', () => {
  it('makes it the owner’s, shows it in the cache at once, and is not sent again', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const owner = await newEcho();
    const child = { metadata: { name: 'child', labels: { app: 'echo' } }, data: { message: 'hi' } };

    const made = await writer.apply(ConfigMap, child, { owner });
    expect(made.metadata).toMatchObject({
      namespace,
      labels: { app: 'echo', [managedByLabel]: 'echo-operator' },
      ownerReferences: [
        { kind: 'Echo', name: 'hello', uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(maps.get({ name: 'child', namespace })?.data).toEqual({ message: 'hi' });
    expect(maps.ownedBy(owner.metadata.uid ?? '')).toHaveLength(1);

    for (let i = 0; i < 3; i++)
      expect(await writer.apply(ConfigMap, child, { owner })).toMatchObject({ data: child.data });
    expect(summary(writes)).toEqual(['apply ConfigMap child']);
    expect(writer.counts).toEqual({ sent: 1, spared: 3 });
  });

  it.each([
    ['a kind of Kubernetes', ConfigMap, { dta: { message: 'hi' } }, '.dta'],
    ['a custom kind', Echo, { spec: { message: 'hi', mesage: 'ho' } }, '.spec.mesage'],
  ])(
    'of %s with a field that it does not have is refused at once, by the name of the field',
    async (_, type, fields, name) => {
      const manifest = { metadata: { name: 'wrong', namespace }, ...fields } as never;
      await expect(writerOn([]).apply<KubernetesObject>(type, manifest)).rejects.toThrow(
        `${name}: field not declared in schema`,
      );
      expect(writes).toHaveLength(1);
      expect(await client.find<KubernetesObject>(type, { name: 'wrong', namespace })).toBeUndefined();
    },
  );

  it('sends what changed, and removes what is not declared any more', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const owner = await newEcho();
    await writer.apply(ConfigMap, { metadata: { name: 'child' }, data: { a: '1', b: '1' } }, { owner });
    const { data } = await writer.apply(ConfigMap, { metadata: { name: 'child' }, data: { a: '2' } }, { owner });
    expect(data).toEqual({ a: '2' });
    expect(writes).toHaveLength(2);
  });

  it('repairs what somebody else did to our fields, and only that', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const owner = await newEcho();
    const child = { metadata: { name: 'child' }, data: { a: '1' } };
    const reference = { name: 'child', namespace };
    await writer.apply(ConfigMap, child, { owner });

    await caughtUp(maps, await client.patch(ConfigMap, reference, { data: { theirs: 'x' } }));
    await writer.apply(ConfigMap, child, { owner });
    expect(writes).toHaveLength(1);

    await caughtUp(maps, await client.patch(ConfigMap, reference, { data: { a: 'damaged' } }));
    const repaired = await writer.apply(ConfigMap, child, { owner });
    expect(repaired.data).toEqual({ a: '1', theirs: 'x' });
    expect(writes).toHaveLength(2);

    await caughtUp(maps, await client.patch(ConfigMap, reference, { metadata: { ownerReferences: null } }));
    await writer.apply(ConfigMap, child, { owner });
    expect(writes).toHaveLength(3);
    await writer.apply(ConfigMap, child, { owner });
    expect(writes).toHaveLength(3);
  });

  it('makes it again after it was deleted', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const owner = await newEcho();
    const child = { metadata: { name: 'child' }, data: { a: '1' } };
    await writer.apply(ConfigMap, child, { owner });
    await client.delete(ConfigMap, { name: 'child', namespace });
    await eventually(() => expect(maps.get({ name: 'child', namespace })).toBeUndefined());
    await writer.apply(ConfigMap, child, { owner });
    expect(await client.get(ConfigMap, { name: 'child', namespace })).toMatchObject({ data: { a: '1' } });
  });

  /** Everything that the server writes in another way than it was asked to, or fills in. */
  const deployment = {
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'web:1',
              env: [{ name: 'EMPTY', value: '' }],
              ports: [{ containerPort: 80 }],
              readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 0 },
              resources: { requests: { cpu: '1000m', memory: '1024Mi' } },
            },
          ],
        },
      },
    },
  };

  it('is not fooled by what the server normalises or defaults, or by what others write', async () => {
    const deployments = await cacheOf(Deployment);
    const writer = writerOn([deployments]);
    const owner = await newEcho();
    const reference = { name: 'web', namespace };
    const made = await writer.apply(Deployment, deployment, { owner });
    expect(made.spec?.template.spec?.containers[0]?.resources?.requests).toEqual({ cpu: '1', memory: '1Gi' });

    const again = async () => await writer.apply(Deployment, deployment, { owner });
    await again();
    const status = { observedGeneration: 1, replicas: 1, readyReplicas: 1 };
    await caughtUp(deployments, await client.patch(Deployment, reference, { status }, { subresource: 'status' }));
    await again();
    const revision = { 'deployment.kubernetes.io/revision': '1' };
    await caughtUp(deployments, await client.patch(Deployment, reference, { metadata: { annotations: revision } }));
    await again();
    await caughtUp(deployments, await client.patch(Deployment, reference, { spec: { replicas: 5 } }));
    await again();
    const sidecar = { name: 'sidecar', image: 'side:1' };
    const inject = { spec: { template: { spec: { containers: [sidecar] } } } };
    await caughtUp(deployments, await client.patch(Deployment, reference, inject, { type: 'strategic' }));
    await again();
    expect(summary(writes)).toEqual(['apply Deployment web']);

    const damage = { spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } } };
    await caughtUp(deployments, await client.patch(Deployment, reference, damage, { type: 'strategic' }));
    const repaired = await again();
    expect(repaired.spec?.template.spec?.containers.map(({ image }) => image).sort()).toEqual(['side:1', 'web:1']);
    expect(repaired.spec?.replicas).toBe(5);
    expect(writes).toHaveLength(2);
  });

  it('spares after a restart what is exactly as wanted, and looks once at the rest', async () => {
    const [maps, deployments] = [await cacheOf(ConfigMap), await cacheOf(Deployment)];
    const owner = await newEcho();
    const child = { metadata: { name: 'child' }, data: { a: '1' } };
    const first = writerOn([maps, deployments]);
    await first.apply(ConfigMap, child, { owner });
    const made = await first.apply(Deployment, deployment, { owner });

    const second = writerOn([maps, deployments]);
    for (let i = 0; i < 2; i++) {
      await second.apply(ConfigMap, child, { owner });
      const same = await second.apply(Deployment, deployment, { owner });
      expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    }
    expect(summary(writes)).toEqual(['apply ConfigMap child', 'apply Deployment web', 'apply Deployment web']);
  });

  it('notices damage to a Secret that was given as plain text', async () => {
    const secrets = await cacheOf(Secret);
    const writer = writerOn([secrets]);
    const owner = await newEcho();
    const secret = { metadata: { name: 'secret' }, stringData: { password: 'geheim' } };
    await writer.apply(Secret, secret, { owner });
    await writer.apply(Secret, secret, { owner });
    expect(writes).toHaveLength(1);
    const damage = { data: { password: Buffer.from('public').toString('base64') } };
    await caughtUp(secrets, await client.patch(Secret, { name: 'secret', namespace }, damage));
    const { data } = await writer.apply(Secret, secret, { owner });
    expect(Buffer.from(data?.password ?? '', 'base64').toString()).toBe('geheim');
  });

  it('refuses owners across namespaces before anything is sent', async () => {
    const other = await testNamespace(client, 'elsewhere');
    const writer = writerOn([await cacheOf(ConfigMap)]);
    const owner = await newEcho();
    await expect(
      writer.apply(ConfigMap, { metadata: { name: 'child', namespace: other } }, { owner }),
    ).rejects.toMatchObject({
      code: 'KUR_RUNTIME_OWNER_ELSEWHERE',
    });
    await expect(writer.apply(Namespace, { metadata: { name: 'child' } }, { owner })).rejects.toMatchObject({
      code: 'KUR_RUNTIME_OWNER_ELSEWHERE',
    });
    expect(writes).toEqual([]);
  });

  it('does not take a child from another owner', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const [first, second] = [await newEcho('first'), await newEcho('second')];
    const child = { metadata: { name: 'child' }, data: { a: '1' } };
    await writer.apply(ConfigMap, child, { owner: first });
    await expect(writer.apply(ConfigMap, child, { owner: second })).rejects.toMatchObject({
      code: 'KUR_RUNTIME_FOREIGN_CHILD',
    });
  });

  it('writes kinds without a cache each time, and wants a name', async () => {
    const writer = writerOn([]);
    const owner = await newEcho();
    for (let i = 0; i < 2; i++) await writer.apply(ConfigMap, { metadata: { name: 'child' } }, { owner });
    expect(writes).toHaveLength(2);
    await expect(writer.apply(ConfigMap, { metadata: { generateName: 'x-' } }, { owner })).rejects.toMatchObject({
      code: 'KUR_RUNTIME_NO_NAME',
    });
  });
});

describe('writing the status', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Up' };

  it('sends what changed, once, and shows it at once', async () => {
    const echoes = await cacheOf(Echo);
    const writer = writerOn([echoes]);
    const echo = await newEcho();
    await caughtUp(echoes, echo);
    const status = { ready: true, observedGeneration: 1, conditions: [ready] };
    const written = await writer.writeStatus(Echo, echo, status);
    expect(written?.status).toMatchObject({ ready: true, conditions: [{ ...ready, observedGeneration: 1 }] });
    expect(echoes.get(echo.metadata)?.status?.ready).toBe(true);
    await writer.writeStatus(Echo, echo, status);
    expect(summary(writes)).toEqual(['patch Echo hello/status']);

    const less = await writer.writeStatus(Echo, echo, { ready: false });
    expect(less?.status).toMatchObject({ ready: false });
    expect(less?.status).not.toHaveProperty('observedGeneration');
    expect(less?.status?.conditions).toHaveLength(1);
  });

  it('does not mind that the spec was changed meanwhile', async () => {
    const writer = writerOn([]);
    const echo = await newEcho();
    await client.patch(Echo, echo.metadata, { spec: { message: 'new' } });
    expect(await writer.writeStatus(Echo, echo, { ready: true })).toMatchObject({ spec: { message: 'new' } });
    expect(summary(writes)).toEqual(['patch Echo hello/status']);
  });

  it('reads again and keeps the other’s condition, when somebody adds one at the same time', async () => {
    const writer = writerOn([]);
    const echo = await newEcho();
    const theirs = {
      type: 'Theirs',
      status: 'True',
      reason: 'X',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await client.patch(Echo, echo.metadata, { status: { conditions: [theirs] } }, { subresource: 'status' });
    const written = await writer.writeStatus(Echo, echo, { conditions: [ready] });
    expect(written?.status?.conditions?.map(({ type }) => type)).toEqual(['Theirs', 'Ready']);
    expect(summary(writes)).toEqual(['patch Echo hello/status (KUR_CLIENT_INVALID)', 'patch Echo hello/status']);
  });

  it('loses no condition when several controllers write their first all at once', async () => {
    const echo = await newEcho();
    const types = ['A', 'B', 'C', 'D'];
    const claims = types.map((type) => ({ conditions: [{ type, status: 'True', reason: 'Up' }] }));
    await Promise.all(claims.map((status) => writerOn([]).writeStatus(Echo, echo, status)));
    const { status } = await client.get(Echo, echo.metadata);
    expect(status?.conditions?.map(({ type }) => type).sort()).toEqual(types);
  });

  it('fails at once when the kind does not allow it, naming the field', async () => {
    const echo = await newEcho();
    await expect(writerOn([]).writeStatus(Echo, echo, { ready: 'yes' })).rejects.toMatchObject({
      code: 'KUR_CLIENT_INVALID',
      message: expect.stringContaining('status.ready'),
    });
    expect(writes).toHaveLength(1);
  });

  it('never lands on another object of the same name', async () => {
    const echo = await newEcho();
    await client.delete(Echo, echo.metadata);
    const anew = await newEcho();
    expect(await writerOn([]).writeStatus(Echo, echo, { ready: true })).toBeUndefined();
    expect((await client.get(Echo, anew.metadata)).status).toBeUndefined();
  });

  it('is over when the object is gone', async () => {
    const writer = writerOn([]);
    const echo = await newEcho();
    await client.delete(Echo, echo.metadata);
    expect(await writer.writeStatus(Echo, echo, { ready: true })).toBeUndefined();
  });
});

describe('finalizers', () => {
  const ours = 'test.kurator.dev/ours';
  const theirs = 'test.kurator.dev/theirs';

  it('are added once', async () => {
    const echoes = await cacheOf(Echo);
    const writer = writerOn([echoes]);
    const held = await writer.addFinalizer(Echo, await newEcho(), ours);
    expect(held?.metadata.finalizers).toEqual([ours]);
    expect(echoes.get({ name: 'hello', namespace })?.metadata.finalizers).toEqual([ours]);
    if (held) await writer.addFinalizer(Echo, held, ours);
    expect(writes).toHaveLength(1);
  });

  it('of several controllers that are added and removed at once do not touch each other', async () => {
    const echo = await newEcho();
    const writer = writerOn([]);
    const names = ['a', 'b', 'c', 'd'].map((name) => `test.kurator.dev/${name}`);
    await Promise.all(names.map((name) => writer.addFinalizer(Echo, echo, name)));
    const held = await client.get(Echo, echo.metadata);
    expect(held.metadata.finalizers?.toSorted()).toEqual(names);
    const [a = '', b = '', ...rest] = names;
    await Promise.all([
      writer.removeFinalizer(Echo, held, a),
      writer.removeFinalizer(Echo, held, b),
      writer.addFinalizer(Echo, held, theirs),
    ]);
    const left = await client.get(Echo, echo.metadata);
    expect(left.metadata.finalizers?.toSorted()).toEqual([...rest, theirs]);
  });

  it('are not lost to a status that is written at the same time', async () => {
    const echo = await newEcho();
    const writer = writerOn([]);
    await Promise.all([
      writer.addFinalizer(Echo, echo, ours),
      ...Array.from({ length: 10 }, (_, i) => writer.writeStatus(Echo, echo, { observedGeneration: i })),
    ]);
    expect((await client.get(Echo, echo.metadata)).metadata.finalizers).toEqual([ours]);
  });

  it('hold an object until they are removed', async () => {
    const writer = writerOn([]);
    const held = await newEcho('held', { finalizers: [ours] });
    await client.delete(Echo, held.metadata);
    const deleting = await client.get(Echo, held.metadata);
    expect(await writer.removeFinalizer(Echo, deleting, ours)).toBeUndefined();
    await waitUntilGone(client, Echo, held.metadata);
    expect(await writer.removeFinalizer(Echo, deleting, ours)).toBeUndefined();
  });

  it('can’t be added to what is being deleted, is gone, or was made anew', async () => {
    const writer = writerOn([]);
    const echo = await newEcho('held', { finalizers: [theirs] });
    await client.delete(Echo, echo.metadata);
    expect(await writer.addFinalizer(Echo, echo, ours)).toBeUndefined();
    await writer.removeFinalizer(Echo, echo, theirs);
    expect(await writer.addFinalizer(Echo, echo, ours)).toBeUndefined();
    const anew = await newEcho('held');
    expect(await writer.addFinalizer(Echo, echo, ours)).toBeUndefined();
    expect((await client.get(Echo, anew.metadata)).metadata.finalizers).toBeUndefined();
  });

  it('need a domain in their name', async () => {
    await expect(writerOn([]).addFinalizer(Echo, await newEcho(), 'cleanup')).rejects.toMatchObject({
      code: 'KUR_RUNTIME_BAD_FINALIZER',
    });
  });
});

describe('pruning', () => {
  it('deletes what is not declared any more, and nothing of anybody else', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const another = writerOn([maps], 'another-operator');
    const [owner, neighbour] = [await newEcho(), await newEcho('neighbour')];
    for (const name of ['keep', 'drop']) await writer.apply(ConfigMap, { metadata: { name } }, { owner });
    await writer.apply(ConfigMap, { metadata: { name: 'neighbours' } }, { owner: neighbour });
    await another.apply(ConfigMap, { metadata: { name: 'anothers' } }, { owner });
    await client.create(ConfigMap, { metadata: { name: 'strangers', namespace } });

    const declared = new Set([declarationOf(ConfigMap, `${namespace}/keep`)]);
    const pruned = await writer.prune(owner, [maps], declared);
    expect(pruned.map(({ metadata }) => metadata.name)).toEqual(['drop']);
    const { items } = await client.list(ConfigMap, { namespace });
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['anothers', 'keep', 'neighbours', 'strangers']);
  });

  it('does not delete one that took the place of what it saw', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const owner = await newEcho();
    await writer.apply(ConfigMap, { metadata: { name: 'child' } }, { owner });
    // What the cache has seen so far, for as long as the test likes.
    const frozen = {
      ...maps,
      ownedBy: (
        (children) => () =>
          children
      )(maps.ownedBy(owner.metadata.uid ?? '')),
    };
    await client.delete(ConfigMap, { name: 'child', namespace });
    const anew = await client.create(ConfigMap, { metadata: { name: 'child', namespace } });
    expect(await writer.prune(owner, [frozen], new Set())).toEqual([]);
    expect(await client.find(ConfigMap, anew.metadata)).toBeDefined();
  });

  it('deletes a child once, although the cache still shows it', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const owner = await newEcho();
    await writer.apply(ConfigMap, { metadata: { name: 'child' } }, { owner });
    // From now on the cache hears nothing.
    stop.abort();
    for (let i = 0; i < 2; i++) await writer.prune(owner, [maps], new Set());
    expect(maps.ownedBy(owner.metadata.uid ?? '')).toHaveLength(1);
    expect(summary(writes)).toEqual(['apply ConfigMap child', 'delete ConfigMap child']);
  });

  it('leaves alone what is being deleted already', async () => {
    const maps = await cacheOf(ConfigMap);
    const writer = writerOn([maps]);
    const owner = await newEcho();
    const child = { metadata: { name: 'child', finalizers: ['test.kurator.dev/slow'] } };
    await writer.apply(ConfigMap, child, { owner });
    expect(await writer.prune(owner, [maps], new Set())).toHaveLength(1);
    await eventually(() => expect(maps.get({ name: 'child', namespace })?.metadata.deletionTimestamp).toBeDefined());
    expect(await writer.prune(owner, [maps], new Set())).toEqual([]);
  });
});
