import { waitFor } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { deny } from '../src/webhooks/denial.ts';
import type { Webhooks } from '../src/webhooks/webhooks.ts';
import { balancer } from './support/webhook-balancer.ts';
import { type OldGadget, replica, start, type World, webhookWorld } from './support/webhook-world.ts';

/** In v1alpha1 the size is a text: `'3'`. */
const declare =
  ({ Gadget }: Pick<World, 'Gadget'>) =>
  (webhooks: Webhooks) =>
    webhooks.convert(Gadget, {
      v1alpha1: {
        toStorage({ spec: { size, ...spec } }: OldGadget) {
          if (Number.isNaN(Number(size))) throw deny('spec.size', 'must be a number');
          return { spec: { ...spec, size: Number(size) } };
        },
        fromStorage({ spec: { size, ...spec }, metadata }) {
          if (spec.note === 'unreadable') throw deny('spec.note', 'has no place in v1alpha1');
          if (spec.note === 'broken') throw new Error('s3cr3t');
          const annotations = { ...metadata.annotations, converted: 'yes' };
          return { spec: { ...spec, size: String(size) }, metadata: { annotations } };
        },
      },
    });

const crd = ({ Gadget }: World) => ({ name: `gadgets.${Gadget.apiVersion.split('/')[0]}` });

/** The API server hears of a conversion a moment after it was registered. */
async function converting(world: World): Promise<World> {
  const { client, OldGadget, namespace, gadget } = world;
  await gadget('probe', { size: 1 });
  const size = () => client.get(OldGadget, { name: 'probe', namespace }).then(({ spec }) => spec.size, String);
  await expect.poll(size).toBe('1');
  return world;
}

async function setUp(): Promise<World> {
  const world = await webhookWorld();
  await replica(world, declare(world));
  return await converting(world);
}

describe('a conversion', () => {
  it('lets each version be written and read in the other, there and back', async () => {
    const { client, Gadget, OldGadget, namespace } = await setUp();
    const ref = { name: 'a', namespace };
    const labels = { tier: 'web' };
    await client.create(OldGadget, { metadata: { ...ref, labels }, spec: { size: '3', image: 'web:1' } });
    expect(await client.get(Gadget, ref)).toMatchObject({ spec: { size: 3, image: 'web:1' }, metadata: { labels } });
    await client.patch(Gadget, ref, { spec: { size: 4 } });
    const old = await client.get(OldGadget, ref);
    expect(old).toMatchObject({ apiVersion: OldGadget.apiVersion, spec: { size: '4', image: 'web:1' } });
    expect(old.metadata).toMatchObject({ ...ref, labels, annotations: { converted: 'yes' } });
    await client.apply(OldGadget, { metadata: ref, spec: { size: '5' } }, { fieldManager: 'test', force: true });
    expect(await client.get(Gadget, ref)).toMatchObject({ spec: { size: 5, image: 'web:1' } });
  });

  it('of a list comes whole and in order', async () => {
    const { client, OldGadget, namespace, gadget } = await setUp();
    for (let size = 0; size < 30; size++) await gadget(`g${String(size).padStart(2, '0')}`, { size });
    const { items } = await client.list(OldGadget, { namespace });
    const sizes = items.filter(({ metadata }) => metadata.name !== 'probe').map(({ spec }) => spec.size);
    expect(sizes).toEqual(Array.from({ length: 30 }, (_, size) => String(size)));
  });

  it('that fails for one object says for which and why; the others can still be read one by one', async () => {
    const { client, OldGadget, namespace, gadget } = await setUp();
    await gadget('good', { size: 2 });
    await gadget('bad', { size: 2, note: 'unreadable' });
    const listing = client.list(OldGadget, { namespace, retries: 0 });
    await expect(listing).rejects.toThrow(
      `could not be converted: Gadget ${namespace}/bad: spec.note: has no place in`,
    );
    expect(await client.get(OldGadget, { name: 'good', namespace })).toMatchObject({ spec: { size: '2' } });
  });

  it('that can not be done refuses what was sent, by the field', async () => {
    const { client, OldGadget, namespace } = await setUp();
    const made = client.create(OldGadget, { metadata: { name: 'x', namespace }, spec: { size: 'big' } });
    await expect(made).rejects.toThrow('spec.size: must be a number');
  });

  it('that breaks tells nothing of the inside', async () => {
    const { client, OldGadget, namespace, gadget } = await setUp();
    await gadget('broken', { note: 'broken' });
    const message = await client.get(OldGadget, { name: 'broken', namespace }, { retries: 0 }).then(() => '', String);
    expect(message).toMatch(/the conversion failed; the operator's log says why, under the uid/);
    expect(message).not.toContain('s3cr3t');
  });

  it('is put back when somebody applies the definition without it', async () => {
    const world = await setUp();
    const { client } = world;
    const none = { spec: { conversion: { strategy: 'None', webhook: null } } };
    await client.patch(CustomResourceDefinition, crd(world), none);
    await waitFor(client, CustomResourceDefinition, crd(world), ({ spec }) => spec.conversion?.strategy === 'Webhook');
  });

  it('can be had when all replicas start at once, though their caches need it before they can be filled', async () => {
    const world = await webhookWorld('v1alpha1');
    const { client, Gadget, OldGadget, namespace } = world;
    const ref = { name: 'old', namespace };
    await client.create(OldGadget, { metadata: ref, spec: { size: '3' } });
    const definition = await client.get(CustomResourceDefinition, crd(world));
    for (const version of definition.spec.versions) version.storage = version.name === 'v1';
    await client.replace(CustomResourceDefinition, definition);
    // As in a cluster, nobody is sent to a pod that is not ready.
    const service = await balancer();
    const options = { address: { url: service.url } };
    const before = await replica(world, declare(world), options);
    service.backends.add(await before.webhooks.port());
    const size = () => client.get(Gadget, ref, { retries: 0 }).then(({ spec }) => spec.size, String);
    await expect.poll(size).toBe(3);
    service.backends.clear();
    await before.stop();
    // The API server's own cache of what it has read is as cold as ours once the definition has changed.
    const changed = await client.get(CustomResourceDefinition, crd(world));
    for (const version of changed.spec.versions) {
      version.additionalPrinterColumns = [{ name: 'Note', type: 'string', jsonPath: '.spec.note' }];
    }
    await client.replace(CustomResourceDefinition, changed);
    const fromCache = { namespace, resourceVersion: '0', retries: 0, timeout: 2_000 };
    await expect
      .poll(() =>
        client.list(Gadget, fromCache).then(
          () => 'listed',
          () => 'refused',
        ),
      )
      .toBe('refused');

    const { manager, webhooks } = start(world, declare(world), options);
    const cache = manager.caches.of(Gadget, { namespace });
    await expect
      .poll(async () => {
        const { ok, checks } = await manager.readiness();
        if (ok) service.backends.add(await webhooks.port());
        return cache.synced ? cache.list().map(({ spec }) => spec.size) : checks.filter((check) => !check.ok);
      })
      .toEqual([3]);
    await expect.poll(async () => (await manager.readiness()).ok).toBe(true);
  });

  it('waits for a definition that is not installed yet, and says so', async () => {
    const world = await webhookWorld();
    const { client } = world;
    const { metadata: _, status: __, ...definition } = await client.get(CustomResourceDefinition, crd(world));
    await client.delete(CustomResourceDefinition, crd(world));
    await expect.poll(() => client.find(CustomResourceDefinition, crd(world))).toBeUndefined();
    const { manager, webhooks } = start(world, (hooks) => {
      declare(world)(hooks);
      hooks.validate(world.Gadget, () => {});
    });
    const reason = async () => (await manager.readiness()).checks.find(({ name }) => name === 'webhooks')?.reason;
    await expect.poll(reason).toContain(`there is no CustomResourceDefinition ${crd(world).name}`);
    await client.create(CustomResourceDefinition, { ...definition, metadata: crd(world) });
    await webhooks.ready?.(new AbortController().signal);
    await expect.poll(reason).toBeUndefined();
  });
});
