/** The webhooks of an operator: those that its controllers declare, and conversion where a kind has several versions. */

import { once } from 'node:events';
import { connect, isIPv6 } from 'node:net';
import type { Client, ResourceType } from '@kurator/client';
import type { Resource } from '@kurator/schema';
import type { Clock } from '../../clock.ts';
import { RuntimeError } from '../../error.ts';
import type { Metrics } from '../../insight/metrics.ts';
import type { Conversions } from '../../webhooks/conversion.ts';
import type { WebhookAddress } from '../../webhooks/options.ts';
import { createWebhooks, type Webhooks } from '../../webhooks/webhooks.ts';
import type { ControllerDefinition, DeclaredHook, OperatorDefinition } from '../definition.ts';
import { ownNamespace, type WebhookSettings } from '../operator-options.ts';
import { hasConversion, resourcesOf, servesHooks } from './declared-kinds.ts';

export interface HooksOptions {
  readonly client: Client;
  readonly name: string;
  readonly settings: WebhookSettings;
  readonly inPod: boolean;
  readonly metrics: Metrics;
  readonly clock: Clock | undefined;
}

/** Undefined where nothing is declared. */
export async function hooksOf(definition: OperatorDefinition, options: HooksOptions): Promise<Webhooks | undefined> {
  const { client, name, settings, inPod, metrics, clock } = options;
  const declaring = definition.controllers.filter(({ hooks }) => hooks.length > 0);
  if (!servesHooks(definition)) return undefined;
  const { address = inPod ? { service: name } : await deskAddress(client), ...given } = settings;
  const webhooks = createWebhooks({
    ...(inPod ? {} : { listen: { port: 0 } }),
    ...given,
    client,
    name,
    namespace: ownNamespace(client),
    address,
    // What nobody answers any more must not go on refusing every write.
    temporary: !inPod,
    metrics,
    ...(clock ? { clock } : {}),
  });
  for (const controller of declaring) for (const hook of controller.hooks) declare(webhooks, controller, hook);
  for (const resource of resourcesOf(definition).filter(hasConversion)) await declareConversion(webhooks, resource);
  return webhooks;
}

function declare(webhooks: Webhooks, { type, settings, name }: ControllerDefinition, hook: DeclaredHook): void {
  if (settings.cluster) {
    throw new RuntimeError(
      'KUR_RUNTIME_INVALID_OPTION',
      `controller ${name}: webhooks serve the operator's own cluster, and its objects are in ${settings.cluster}`,
      { remedy: 'run an operator of its own there' },
    );
  }
  if (hook.sort === 'mutate') {
    webhooks.mutate(type, (call) => hook.handler(call.object, call), hook.options);
    return;
  }
  const validate = async (call: Parameters<Parameters<typeof webhooks.validate>[1]>[0]) => {
    const objections = await hook.handler(call.object, call);
    return objections === true ? undefined : objections;
  };
  webhooks.validate(type, validate, hook.options);
}

async function declareConversion(webhooks: Webhooks, resource: Resource): Promise<void> {
  const { convertObject } = await import('@kurator/schema');
  const { group, versions } = resource.definition;
  const stored = versions.find(({ storage }) => storage)?.name ?? resource.definition.version;
  const type: ResourceType = { ...resource, apiVersion: `${group}/${stored}` };
  const others = versions.map(({ name }) => name).filter((name) => name !== stored);
  const conversions = others.map((other) => [
    other,
    {
      toStorage: (object: Parameters<typeof convertObject>[1]) => convertObject(resource, object, stored),
      fromStorage: (object: Parameters<typeof convertObject>[1]) => convertObject(resource, object, other),
    },
  ]);
  webhooks.convert(type, Object.fromEntries(conversions) as Conversions<never, never>);
}

/** The API server reaches this machine, if at all, where this machine reaches it from. */
async function deskAddress({ config }: Client): Promise<WebhookAddress> {
  const host = await localAddress(config.server);
  return { url: (port) => `https://${host}:${port}` };
}

/** The address of this machine from which a server is reached, as it stands in a URL. */
async function localAddress(server: string): Promise<string> {
  const { hostname, port, protocol } = new URL(server);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'http:' ? 80 : 443),
    timeout: 5_000,
  });
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'timeout')]);
    const { localAddress = '127.0.0.1' } = socket;
    return isIPv6(localAddress) ? `[${localAddress}]` : localAddress;
  } finally {
    socket.destroy();
  }
}
