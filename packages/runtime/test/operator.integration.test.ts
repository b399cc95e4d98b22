// What authors declare, against the real API server: children, status, conditions, events, looking up, cleaning up.
import {
  type Client,
  ConfigMap,
  isNotFound,
  Namespace,
  Secret,
  Service,
  ServiceAccount,
  waitFor,
  waitUntilGone,
} from '@kurator/client';
import { PriorityClass } from '@kurator/client/scheduling/v1';
import { eventually, sharedClient, testNamespace } from '@kurator/testenv';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReportedEvent } from '../src/events/event.ts';
import {
  child,
  installCrds,
  type Operator,
  operator,
  PermanentError,
  type RunningOperator,
  requeue,
} from '../src/index.ts';
import { Garden, quietly } from './support/garden.ts';
import { recordingClient, summary } from './support/recording-client.ts';

let client: Client;
let namespace: string;
let running: RunningOperator[];

beforeAll(async () => {
  const setUp = await sharedClient();
  await installCrds(setUp, [Garden]);
  await setUp.close();
});

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'garden');
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((operator) => operator.stop()));
  await client.close();
});

async function start(operator: Operator, namespaces: string | string[] = namespace, by = client): Promise<void> {
  running.push(await operator.start({ ...quietly(by, namespaces), installCrds: 'never' }));
}

const here = (name: string) => ({ name, namespace });
const plant = (name: string, spec: Partial<Garden['spec']> = {}) =>
  client.create(Garden, { metadata: here(name), spec: { beds: [], ...spec } });
const bed = (name: string) => ({ metadata: { name }, data: { grows: name } });
const readyOf = ({ status }: Garden) => status?.conditions?.find(({ type }) => type === 'Ready');
const untilReady = (name: string, status: 'True' | 'False' = 'True') =>
  waitFor(
    client,
    Garden,
    here(name),
    (garden) => readyOf(garden)?.status === status && garden.status?.observedGeneration === garden.metadata.generation,
    { description: `to have Ready ${status}` },
  );
const bedsIn = async (of = namespace) => {
  const { items } = await client.list(ConfigMap, { namespace: of, labelSelector: 'kurator.dev/managed-by' });
  return items.map(({ metadata }) => metadata.name).sort();
};

const gardener = () =>
  operator()
    .controller(Garden)
    .owns(ConfigMap)
    .reconcile(async ({ spec }, { applyAll }) => {
      await applyAll(Object.fromEntries(spec.beds.map((name) => [name, child(ConfigMap, bed(name))])));
      return { status: { planted: spec.beds.length } };
    });

describe('status', () => {
  it('has the fields that were returned, the generation, and a condition that nobody had to write', async () => {
    await start(gardener());
    await plant('rose', { beds: ['a', 'b'] });
    const { status } = await untilReady('rose');
    expect(status).toEqual({
      planted: 2,
      observedGeneration: 1,
      conditions: [expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Reconciled' })],
    });
  });

  it('is written once, and its own write causes no further reconcile', async () => {
    const { client: recorded, writes } = recordingClient(client);
    const reconcile = vi.fn(async () => ({ status: { planted: 0 } }));
    await start(operator().controller(Garden).reconcile(reconcile), namespace, recorded);
    await plant('rose');
    await untilReady('rose');
    await plant('later');
    await untilReady('later');
    // Others may see a write before its answer is here.
    await eventually(() => expect(summary(writes)).toEqual(['patch Garden rose/status', 'patch Garden later/status']));
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  it('is put right when somebody else changes it', async () => {
    await start(gardener());
    await plant('rose', { beds: ['a'] });
    await untilReady('rose');
    await client.patch(Garden, here('rose'), { status: { planted: 99 } }, { subresource: 'status' });
    await waitFor(client, Garden, here('rose'), ({ status }) => status?.planted === 1);
  });

  it('says what the reconcile says, where success does not mean ready', async () => {
    const claim = { type: 'Ready', status: 'False', reason: 'NoRain', message: 'it will take a while' } as const;
    await start(
      operator()
        .controller(Garden)
        .reconcile(() => ({ conditions: [claim] })),
    );
    await plant('rose');
    expect(readyOf(await untilReady('rose', 'False'))).toMatchObject(claim);
  });
});

describe('failures', () => {
  it('shows a permanent one on the object and in an event, and goes on when the object is changed', async () => {
    const picky = operator()
      .controller(Garden)
      .reconcile(({ spec }) => {
        if (spec.soil === 'lava') throw new PermanentError('nothing grows in lava', { reason: 'BadSoil' });
      });
    await start(picky);
    await plant('rose', { soil: 'lava' });
    expect(readyOf(await untilReady('rose', 'False'))).toMatchObject({
      reason: 'BadSoil',
      message: 'nothing grows in lava',
    });
    await vi.waitFor(async () => {
      const { items } = await client.list(ReportedEvent, { namespace });
      expect(items).toMatchObject([{ type: 'Warning', reason: 'BadSoil', note: 'nothing grows in lava' }]);
    }, 20_000);
    await client.patch(Garden, here('rose'), { spec: { soil: 'loam' } });
    await untilReady('rose');
  });

  it('of one child keeps no other back, and is told with the name of the child', async () => {
    const mixed = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .owns(Service)
      .reconcile(async (garden, { applyAll }) => {
        const port = garden.spec.soil === 'lava' ? 0 : 80;
        await applyAll({
          first: child(ConfigMap, bed('first')),
          gate: child(Service, { metadata: { name: 'gate' }, spec: { ports: [{ port }] } }),
          behind: child(ConfigMap, bed('behind'), { after: ['gate'] }),
          last: child(ConfigMap, bed('last')),
        });
      });
    await start(mixed);
    await plant('rose', { soil: 'lava' });
    const ready = readyOf(await untilReady('rose', 'False'));
    expect(ready?.reason).toBe('ChildrenFailed');
    expect(ready?.message).toMatch(/Service gate: .*spec\.ports\[0\]\.port.*; ConfigMap behind waits for "gate"/s);
    expect(await bedsIn()).toEqual(['first', 'last']);
    await client.patch(Garden, here('rose'), { spec: { soil: 'loam' } });
    await untilReady('rose');
    expect(await bedsIn()).toEqual(['behind', 'first', 'last']);
  });

  it('tells of a kind that was not declared, with what to write', async () => {
    const careless = operator()
      .controller(Garden)
      .reconcile(async (_, { apply }) => void (await apply(ConfigMap, bed('a'))));
    await start(careless);
    await plant('rose');
    expect(readyOf(await untilReady('rose', 'False'))?.message).toContain('.owns(ConfigMap)');
  });
});

describe('children', () => {
  it('are deleted when they are no longer in the set', async () => {
    await start(gardener());
    await plant('rose', { beds: ['a', 'b', 'c'] });
    await untilReady('rose');
    await client.patch(Garden, here('rose'), { spec: { beds: ['b'] } });
    await vi.waitFor(async () => expect(await bedsIn()).toEqual(['b']), 20_000);
  });

  it('belong to their object, carry the operator’s label, and are written in its name', async () => {
    await start(gardener());
    const { metadata } = await plant('rose', { beds: ['a'] });
    await untilReady('rose');
    const made = await client.get(ConfigMap, here('a'));
    expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'Garden', uid: metadata.uid, controller: true }]);
    expect(made.metadata.labels).toMatchObject({ 'kurator.dev/managed-by': 'garden-operator' });
    expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['garden-operator']);
  });

  it('have nothing in exact fields but what was declared', async () => {
    const strict = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .reconcile(async (_, { apply }) => void (await apply(ConfigMap, bed('a'), { exact: ['data'] })));
    await start(strict);
    await plant('rose');
    await untilReady('rose');
    await client.patch(ConfigMap, here('a'), {
      data: { weed: 'nettle', grows: 'moss' },
      metadata: { labels: { my: 'own' } },
    });
    await waitFor(client, ConfigMap, here('a'), ({ data }) => JSON.stringify(data) === '{"grows":"a"}');
    expect((await client.get(ConfigMap, here('a'))).metadata.labels?.my).toBe('own');
  });

  it('elsewhere are put back, and go with their object though Kubernetes can’t tell whose they are', async () => {
    const other = await testNamespace(client, 'other');
    const far = operator()
      .controller(Garden)
      .owns(ConfigMap, { otherNamespaces: true })
      .owns(PriorityClass)
      .reconcile(async ({ metadata, spec }, { apply, applyAll, owned }) => {
        await apply(PriorityClass, { metadata: { name: `${namespace}-${metadata.name}` }, value: 1 });
        const beds = spec.beds.map((name) => child(ConfigMap, { ...bed(name), metadata: { name, namespace: other } }));
        await applyAll(Object.fromEntries(beds.entries()));
        return { status: { planted: owned(ConfigMap).length } };
      });
    await start(far, [namespace, other]);
    await plant('rose', { beds: ['a', 'b'] });
    const planted = await waitFor(client, Garden, here('rose'), ({ status }) => status?.planted === 2);
    expect(planted.metadata.finalizers).toEqual(['garden.test.kurator.dev/garden-operator']);

    await client.delete(ConfigMap, { name: 'a', namespace: other });
    await vi.waitFor(async () => expect(await bedsIn(other)).toEqual(['a', 'b']), 20_000);
    await client.patch(Garden, here('rose'), { spec: { beds: ['b'] } });
    await vi.waitFor(async () => expect(await bedsIn(other)).toEqual(['b']), 20_000);
    await client.delete(Garden, here('rose'));
    await waitUntilGone(client, Garden, here('rose'));
    expect(await bedsIn(other)).toEqual([]);
    await expect(client.get(PriorityClass, { name: `${namespace}-rose` })).rejects.toSatisfy(isNotFound);
  });

  it('of another are not taken away', async () => {
    const other = await testNamespace(client, 'other');
    const shared = operator()
      .controller(Garden)
      .owns(ConfigMap, { otherNamespaces: true })
      .reconcile(
        async (_, { apply }) => void (await apply(ConfigMap, { metadata: { name: 'one', namespace: other } })),
      );
    await start(shared, [namespace, other]);
    await plant('first');
    await untilReady('first');
    await plant('second');
    expect(readyOf(await untilReady('second', 'False'))?.message).toContain(
      `belongs to Garden.garden.test.kurator.dev ${namespace}/first`,
    );
  });
});

describe('looking', () => {
  it('finds by name, by labels, by index and by owner, and hears of what is concerned', async () => {
    const found = vi.fn();
    const watcher = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .reads(ServiceAccount)
      .index(Garden, 'soil', ({ spec }) => spec.soil)
      .watches(Secret, (secret, { byIndex }) => byIndex(Garden, 'soil', secret.metadata.name))
      .reconcile(async ({ metadata, spec }, { apply, get, list, owned, byIndex }) => {
        await apply(ConfigMap, { metadata: { name: metadata.name, labels: { of: metadata.name } } });
        found({
          secret: get(Secret, spec.soil ?? '')?.metadata.name,
          alike: byIndex(Garden, 'soil', spec.soil ?? '').map((garden) => garden.metadata.name),
          labelled: list(ConfigMap, { labels: { of: metadata.name } }).length,
          owned: owned(ConfigMap).length,
          accounts: list(ServiceAccount, { namespace: '*' }).length,
        });
      });
    await start(watcher);
    await plant('rose', { soil: 'loam' });
    await untilReady('rose');
    await client.create(Secret, { metadata: here('loam') });
    const expected = { secret: 'loam', alike: ['rose'], labelled: 1, owned: 1, accounts: 0 };
    await vi.waitFor(() => expect(found).toHaveBeenLastCalledWith(expected), 20_000);
  });

  it('works in several namespaces, and in no other', async () => {
    const [second, third] = [await testNamespace(client, 'second'), await testNamespace(client, 'third')];
    await start(gardener(), [namespace, second]);
    const places = [namespace, second, third];
    for (const place of places) {
      await client.create(Garden, { metadata: { name: 'rose', namespace: place }, spec: { beds: ['a'] } });
    }
    await vi.waitFor(
      async () => expect([await bedsIn(namespace), await bedsIn(second)]).toEqual([['a'], ['a']]),
      20_000,
    );
    expect(await bedsIn(third)).toEqual([]);
  });
});

describe('time and end', () => {
  it('is called again when it asks for it', async () => {
    let calls = 0;
    await start(
      operator()
        .controller(Garden)
        .reconcile(() => (++calls < 3 ? requeue('10ms') : { status: { planted: calls } })),
    );
    await plant('rose');
    await waitFor(client, Garden, here('rose'), ({ status }) => status?.planted === 3);
  });

  it('cleans up before an object goes, as often as it takes, and tells why it waits', async () => {
    const weeds = ['nettle', 'thistle'];
    const tidy = operator()
      .controller(Garden)
      .cleanup(() => {
        weeds.pop();
        if (weeds.length > 0) throw new PermanentError(`there is still ${weeds}`, { reason: 'Weeds' });
      })
      .reconcile(() => {});
    await start(tidy);
    await plant('rose');
    const { metadata } = await untilReady('rose');
    expect(metadata.finalizers).toEqual(['garden.test.kurator.dev/garden-operator']);
    await client.delete(Garden, here('rose'));
    await waitFor(client, Garden, here('rose'), (garden) => readyOf(garden)?.reason === 'Weeds');
    await client.patch(Garden, here('rose'), { metadata: { labels: { try: 'again' } } });
    await waitUntilGone(client, Garden, here('rose'));
    expect(weeds).toEqual([]);
  });

  it('lets go of a finalizer that only an earlier version needed', async () => {
    await start(gardener());
    const finalizers = ['garden.test.kurator.dev/garden-operator'];
    await client.create(Garden, { metadata: { ...here('rose'), finalizers }, spec: { beds: [] } });
    await client.delete(Garden, here('rose'));
    await waitUntilGone(client, Garden, here('rose'));
  });
});

describe('events', () => {
  it('are told about the object', async () => {
    await start(
      operator()
        .controller(Garden)
        .reconcile((_, { event }) => event('Normal', 'Bloomed', 'it is red')),
    );
    await plant('rose');
    await vi.waitFor(async () => {
      const { items } = await client.list(ReportedEvent, { namespace });
      expect(items).toMatchObject([
        { reason: 'Bloomed', note: 'it is red', action: 'Reconcile', regarding: { kind: 'Garden', name: 'rose' } },
      ]);
    }, 20_000);
  });
});

describe('kinds of others', () => {
  it('are reconciled without a word in their status', async () => {
    const labels = { team: namespace };
    const welcome = operator({ name: 'welcome' })
      .controller(Namespace, { labels })
      .owns(ConfigMap)
      .reconcile(
        async ({ metadata }, { apply }) =>
          void (await apply(ConfigMap, { metadata: { name: 'welcome', namespace: metadata.name } })),
      );
    const { client: recorded, writes } = recordingClient(client);
    await start(welcome, namespace, recorded);
    await client.patch(Namespace, { name: namespace }, { metadata: { labels } });
    await waitFor(client, ConfigMap, here('welcome'), () => true);
    await vi.waitFor(() => expect(summary(writes)).toEqual(['apply ConfigMap welcome']), 20_000);
  });
});
