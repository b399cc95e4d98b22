/** A custom kind with two versions, and replicas that serve webhooks for it, on the real API server. */
import { randomBytes } from 'node:crypto';
import { type Client, type KubernetesObject, type ResourceType, resourceType, waitFor } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { expect, onTestFinished } from 'vitest';
import { type Logger, silentLogger } from '../../src/insight/late-logger.ts';
import { createManager, type Manager } from '../../src/manager/manager.ts';
import type { WebhooksOptions } from '../../src/webhooks/options.ts';
import { createWebhooks, type Webhooks } from '../../src/webhooks/webhooks.ts';

export interface Gadget extends KubernetesObject {
  spec: { image?: string; size?: number; note?: string };
  status?: { seen?: boolean };
}

/** The same, in an older version: `size` was a text. */
export interface OldGadget extends KubernetesObject {
  spec: { image?: string; size?: string; note?: string };
}

export interface World {
  readonly client: Client;
  readonly namespace: string;
  /** Of the group that only this test has. */
  readonly Gadget: ResourceType<Gadget>;
  readonly OldGadget: ResourceType<OldGadget>;
  gadget(name: string, spec?: Gadget['spec']): Promise<Gadget>;
}

/** @param stored the version that objects are kept in. */
export async function webhookWorld(stored: 'v1' | 'v1alpha1' = 'v1'): Promise<World> {
  const client = await sharedClient();
  onTestFinished(() => client.close());
  const namespace = await testNamespace(client, 'webhooks');
  const group = `${namespace}-${randomBytes(2).toString('hex')}.example.com`;
  const Gadget = resourceType<Gadget>(`${group}/v1`, 'Gadget');
  await client.create(CustomResourceDefinition, definition(group, stored));
  await waitFor(client, CustomResourceDefinition, { name: `gadgets.${group}` }, ({ status }) =>
    Boolean(status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True')),
  );
  // The API server lets the first request for a new kind wait for two seconds, and refuses it if the definition changes
  // meanwhile, as it does when a conversion is registered. So that one is over before a test begins.
  await client.create(Gadget, { metadata: { name: 'first', namespace }, spec: {} }, { dryRun: true });
  return {
    client,
    namespace,
    Gadget,
    OldGadget: resourceType<OldGadget>(`${group}/v1alpha1`, 'Gadget'),
    gadget: (name, spec = { image: 'web:1' }) => client.create(Gadget, { metadata: { name, namespace }, spec }),
  };
}

function definition(group: string, stored: string) {
  const version = (name: string, size: 'integer' | 'string') => ({
    name,
    served: true,
    storage: name === stored,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { image: { type: 'string' }, note: { type: 'string' }, size: { type: size } },
          },
          status: { type: 'object', properties: { seen: { type: 'boolean' } } },
        },
      },
    },
  });
  return {
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      names: { kind: 'Gadget', plural: 'gadgets' },
      scope: 'Namespaced',
      versions: [version('v1', 'integer'), version('v1alpha1', 'string')],
    },
  };
}

export interface Replica {
  readonly webhooks: Webhooks;
  readonly manager: Manager;
  /** How it ended. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

export interface ReplicaOptions extends Partial<WebhooksOptions> {
  readonly logger?: Logger;
}

/** Runs an operator with webhooks until the test ends; resolves when it is ready. */
export async function replica(
  world: World,
  declare: (webhooks: Webhooks) => void,
  options: ReplicaOptions = {},
): Promise<Replica> {
  const started = start(world, declare, options);
  await Promise.race([started.webhooks.ready?.(new AbortController().signal), started.ended.then(thrown)]);
  return started;
}

/** The API server hears of a registration a moment after it was written: waits until it asks about gadgets. */
export async function untilAsked({ client, Gadget, namespace }: World, { manager }: Replica): Promise<void> {
  const manifest = { metadata: { generateName: 'probe-', namespace }, spec: { image: 'probe:1' } };
  await expect
    .poll(async () => {
      await client.create(Gadget, manifest, { dryRun: true, retries: 0 }).catch(() => {});
      return (await manager.metrics.text()).body;
    })
    .toMatch(/webhook_requests_total\{[^}]*\} [1-9]/);
}

/** Like `replica`, without waiting until it is ready. */
export function start(world: World, declare: (webhooks: Webhooks) => void, options: ReplicaOptions = {}): Replica {
  const { logger = silentLogger, ...rest } = options;
  const http = { host: '127.0.0.1', port: 0 };
  const { client, namespace } = world;
  const manager = createManager({ client, name: 'kurator.test/webhooks', http, signals: false, logger });
  const webhooks = createWebhooks({
    client,
    name: namespace,
    namespace,
    listen: { host: '127.0.0.1', port: 0 },
    address: { url: (port) => `https://127.0.0.1:${port}` },
    metrics: manager.metrics,
    ...rest,
  });
  declare(webhooks);
  manager.add(webhooks, 'webhook');
  const ended = manager.run().catch((error) => error);
  const stop = async () => {
    manager.stop();
    return await ended;
  };
  onTestFinished(async () => void (await stop()));
  return { webhooks, manager, ended, stop };
}

function thrown(ended: unknown): never {
  throw ended instanceof Error ? ended : new Error('it has ended');
}
