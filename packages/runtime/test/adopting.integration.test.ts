// Nothing is taken over for having the right name: what somebody else made is left alone, unless the author says so.
import { type Client, ConfigMap, waitFor } from '@kurator/client';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { child, installCrds, type Operator, operator, type RunningOperator } from '../src/index.ts';
import { Garden, quietly } from './support/garden.ts';
import { recordingClient, summary } from './support/recording-client.ts';

let client: Client;
let namespace: string;
let other: string;
let running: RunningOperator | undefined;

beforeAll(async () => {
  const setUp = await sharedClient();
  await installCrds(setUp, [Garden]);
  await setUp.close();
});

beforeEach(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'adopting');
  other = await testNamespace(client, 'other');
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  await client.close();
});

const start = async (what: Operator, by = client) => {
  running = await what.start({ ...quietly(by, [namespace, other]), installCrds: 'never' });
};
const here = (name: string) => ({ name, namespace });
const plant = (name: string, spec: Partial<Garden['spec']> = {}) =>
  client.create(Garden, { metadata: here(name), spec: { beds: [], ...spec } });
const strangers = (where: { name: string; namespace: string }) =>
  client.create(ConfigMap, { metadata: where, data: { whose: 'mine' } }, { fieldManager: 'somebody' });
const untilPlanted = (name: string) => waitFor(client, Garden, here(name), ({ status }) => status?.planted === 1);

/** Why a garden is not ready. */
async function complaint(name: string): Promise<string> {
  const { status } = await waitFor(client, Garden, here(name), ({ status }) =>
    Boolean(status?.conditions?.some((one) => one.status === 'False')),
  );
  return status?.conditions?.[0]?.message ?? '';
}

/** One that wants a ConfigMap of its garden's name, and adopts what the soil says. */
const gardener = (settings: { labels?: Record<string, string>; otherNamespaces?: boolean } = {}) =>
  operator()
    .controller(Garden)
    .owns(ConfigMap, settings)
    .reconcile(async ({ metadata, spec }, { applyAll }) => {
      const where = { name: metadata.name, ...(settings.otherNamespaces ? { namespace: other } : {}) };
      const labels = settings.labels ?? {};
      const bed = child(ConfigMap, { metadata: { ...where, labels }, data: { whose: 'ours' } }, { adopt: !!spec.soil });
      await applyAll({ bed });
      return { status: { planted: 1 } };
    });

describe('what somebody else made under the name of a child', () => {
  it.each([
    ['is left alone, and that is said with what to do', {}, () => here('rose')],
    ['is left alone where the cache knows only what has a label', { labels: { app: 'garden' } }, () => here('rose')],
    ['is left alone in another namespace', { otherNamespaces: true }, () => ({ name: 'rose', namespace: other })],
  ])('%s', async (_, settings, at) => {
    const before = await strangers(at());
    await start(gardener(settings));
    await plant('rose');
    const message = await complaint('rose');
    expect(message).toContain(`ConfigMap ${at().namespace}/rose is there already, and was not made for Garden`);
    expect(message).toContain('{ adopt: true }');
    expect(await client.get(ConfigMap, at())).toEqual(before);
  });

  it('is left alone if it was made while the cache has not heard of it', async () => {
    const quick = operator()
      .controller(Garden)
      .owns(ConfigMap)
      .reconcile(async ({ metadata }, { apply, client: own }) => {
        const stranger = { metadata: { name: metadata.name, namespace }, data: { whose: 'mine' } };
        await own.create(ConfigMap, stranger, { fieldManager: 'somebody' }).catch(() => {});
        await apply(ConfigMap, { metadata: { name: metadata.name }, data: { whose: 'ours' } });
      });
    await start(quick);
    await plant('rose');
    expect(await complaint('rose')).toContain('is left alone');
    const { data, metadata } = await client.get(ConfigMap, here('rose'));
    expect([data, metadata.ownerReferences, metadata.labels]).toEqual([{ whose: 'mine' }, undefined, undefined]);
  });

  it('is taken over where the author says so, and then goes with its owner', async () => {
    await strangers(here('rose'));
    await start(gardener());
    const { metadata } = await plant('rose', { soil: 'adopt' });
    await untilPlanted('rose');
    const taken = await client.get(ConfigMap, here('rose'));
    expect(taken.data).toEqual({ whose: 'ours' });
    expect(taken.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
  });
});

it('costs one request to make a child, and none to keep it', async () => {
  const { client: recorded, writes } = recordingClient(client);
  const finds: string[] = [];
  const find: Client['find'] = (type, reference, options) => {
    if (type.kind === 'ConfigMap') finds.push(reference.name);
    return client.find(type, reference, options);
  };
  await start(gardener(), { ...recorded, find });
  await plant('rose');
  await untilPlanted('rose');
  await client.patch(Garden, here('rose'), { metadata: { annotations: { look: 'again' } } });
  await client.patch(Garden, here('rose'), { spec: { beds: ['x'] } });
  await waitFor(client, Garden, here('rose'), ({ status }) => status?.observedGeneration === 2);
  expect(summary(writes).filter((write) => write.includes('ConfigMap'))).toEqual(['apply ConfigMap rose']);
  expect(finds).toEqual([]);
});

describe('release', () => {
  it.each([
    ['a child by owner reference', {}, () => here('rose')],
    ['a child in another namespace', { otherNamespaces: true }, () => ({ name: 'rose', namespace: other })],
  ])('lets %s stay as it is, as nobody’s', async (_, settings, at) => {
    const generous = operator()
      .controller(Garden)
      .owns(ConfigMap, settings)
      .reconcile(async ({ spec }, { apply, release }) => {
        if (spec.soil !== 'release') {
          await apply(ConfigMap, { metadata: at(), data: { whose: 'ours' } });
          return { status: { planted: 1 } };
        }
        const released = [await release(ConfigMap, at()), await release(ConfigMap, at())];
        return { status: { planted: released.filter(Boolean).length + 1 } };
      });
    await start(generous);
    await plant('rose');
    await untilPlanted('rose');
    await client.patch(Garden, here('rose'), { spec: { soil: 'release' } });
    await waitFor(client, Garden, here('rose'), ({ status }) => status?.planted === 2);
    const { data, metadata } = await client.get(ConfigMap, at());
    const { ownerReferences, labels, annotations, managedFields = [] } = metadata;
    const left = { 'kurator.dev/released-by': expect.any(String) };
    expect({ data, ownerReferences, labels, annotations }).toEqual({ data: { whose: 'ours' }, labels: left });
    const fields = JSON.stringify(managedFields.filter(({ operation }) => operation === 'Apply'));
    expect(fields).not.toContain('f:data');
    // Whoever applies it next has it to himself: what he leaves out later goes.
    for (const next of [{ whose: 'theirs', more: 'x' }, { whose: 'theirs' }]) {
      await client.apply(ConfigMap, { metadata: at(), data: next }, { fieldManager: 'them' });
    }
    expect((await client.get(ConfigMap, at())).data).toEqual({ whose: 'theirs' });
    // It is somebody's again once it is adopted, and not before.
    await client.patch(Garden, here('rose'), { spec: { soil: 'back' } });
    expect(await complaint('rose')).toContain('was not made for Garden');
  });
});
