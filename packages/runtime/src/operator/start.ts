/** Starts an operator: client, manager, webhooks, caches and controllers. */
import { type Client, createClient, loadConfig } from '@kurator/client';
import { type Clock, systemClock } from '../clock.ts';
import { fencedClient } from '../leadership/fenced-client.ts';
import { createManager, type Manager } from '../manager/manager.ts';
import type { Runnable } from '../manager/runnable.ts';
import { createSharding, type Sharding } from '../sharding/sharding.ts';
import type { ShardingEvent } from '../sharding/sharding-event.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { OperatorDefinition } from './definition.ts';
import { installCrds, untilAnswered } from './install-crds.ts';
import { cachePlan, openClusters } from './internal/cluster-scope.ts';
import { resourcesOf, unneeded } from './internal/declared-kinds.ts';
import { registerControllers } from './internal/register-controllers.ts';
import { hooksOf } from './internal/webhooks.ts';
import { ownNamespace, type SettledOptions, type StartOptions, settleOptions } from './operator-options.ts';

/** An operator that runs. */
export interface RunningOperator extends AsyncDisposable {
  readonly manager: Manager;
  /** Resolves when it has ended as asked; rejects when it failed or lost the lead. */
  readonly ended: Promise<void>;
  /** Stops it in order; rejects if it failed. */
  stop(): Promise<void>;
}

export async function startOperator(
  definition: OperatorDefinition,
  name: string,
  given: StartOptions = {},
): Promise<RunningOperator> {
  const options: StartOptions = { ...unneeded(definition), ...definition.options, ...given };
  const client = options.client ?? createClient(await loadConfig());
  try {
    const { manager, hooks } = await managerOf(definition, name, client, options);
    const up = Promise.withResolvers<void>();
    manager.add({ name: 'start', run: async () => up.resolve() });
    const ended = manager
      .run(options.signal)
      .finally(() => hooks?.ended())
      .finally(() => (options.client ? undefined : client.close()));
    await Promise.race([up.promise, ended]);
    void tellUrl(manager);
    return running(manager, ended);
  } catch (error) {
    if (!options.client) await client.close();
    throw error;
  }
}

/** Where to look: at a desk, the port is any that was free. */
async function tellUrl(manager: Manager): Promise<void> {
  const url = await manager.url().catch(() => undefined);
  if (url) manager.logger.info({ url }, 'probes and the debug page are served');
  const metrics = await manager.metricsUrl().catch(() => undefined);
  if (metrics) manager.logger.info({ url: metrics }, 'metrics are served');
}

function running(manager: Manager, ended: Promise<void>): RunningOperator {
  // Whoever doesn't look at it is told by `stop`.
  ended.catch(() => {});
  const stop = async () => {
    manager.stop();
    await ended;
  };
  return { manager, ended, stop, [Symbol.asyncDispose]: stop };
}

async function managerOf(
  definition: OperatorDefinition,
  name: string,
  client: Client,
  options: StartOptions,
): Promise<{ manager: Manager; hooks: Webhooks | undefined }> {
  const { clock, signals = false, gracePeriod, missingKinds } = options;
  const settled = settleOptions(options);
  const { leaderElection, http, logger, inPod, namespaces } = settled;
  const manager = createManager({
    client,
    name,
    leaderElection,
    http,
    logger,
    signals,
    ...(gracePeriod === undefined ? {} : { gracePeriod }),
    ...(missingKinds ? { missingKinds } : {}),
    ...(clock ? { clock } : {}),
  });
  manager.add(definitions(definition, name, client, settled, clock), 'webhook');
  const { metrics } = manager;
  const hooks = await hooksOf(definition, { client, name, settings: options.webhooks ?? {}, inPod, metrics, clock });
  if (hooks) manager.add(hooks, 'webhook');
  const shard = settled.sharding && shardingOf(manager, name, settled.sharding, options);
  if (shard) manager.add(shard, 'background');
  const fenced = (client: Client) => shard?.client(client) ?? fencedClient(client, () => manager.fence());
  const needs = cachePlan(definition.controllers);
  const clusters = await openClusters(definition, manager, { name, needs, namespaces, fenced });
  registerControllers(manager, definition, { name, clusters, shard, clock });
  return { manager, hooks };
}

/** Comes before the caches, which can't be filled with a kind that the server doesn't know. */
function definitions(
  definition: OperatorDefinition,
  name: string,
  client: Client,
  { installCrds: policy, inPod }: SettledOptions,
  clock: Clock = systemClock,
): Runnable {
  const known = Promise.withResolvers<void>();
  known.promise.catch(() => {});
  return {
    name: 'definitions',
    async run({ stop, logger }) {
      const onProgress = (message: string) => logger.info({}, message);
      const options = { policy, fieldManager: name, signal: stop, onProgress };
      const install = () => installCrds(client, resourcesOf(definition), options);
      const onTrouble = (error: Error) => logger.warn({ error }, 'waits for the API server');
      // At a desk its author wants to know at once that there is none.
      const installing = inPod ? untilAnswered(install, { stop, clock, onTrouble }) : install();
      installing.then(known.resolve, known.reject);
      await installing;
    },
    ready: () => known.promise,
  };
}

type Words = { readonly level: 'info' | 'warn' | 'error'; readonly message: string };

const shardingWords: Readonly<Partial<Record<ShardingEvent['type'], Words>>> = {
  gained: { level: 'info', message: 'these shards are this replica’s now' },
  released: { level: 'info', message: 'these shards were handed over' },
  lost: { level: 'warn', message: 'these shards were lost' },
  stuck: { level: 'error', message: 'these shards can’t be handed over: something goes on though it was told to stop' },
  removed: { level: 'warn', message: 'a member that gave no sign of life was taken out' },
  trouble: { level: 'warn', message: 'something failed, and is tried again' },
};

function shardingOf(
  { client, logger }: Manager,
  name: string,
  settings: NonNullable<SettledOptions['sharding']>,
  { clock }: StartOptions,
): Sharding {
  return createSharding({
    namespace: ownNamespace(client),
    ...settings,
    client,
    // The Lease of the leader has the operator's own name.
    name: `${name}-shards`,
    report(event) {
      const { level, message } = shardingWords[event.type] ?? {};
      if (level) logger[level](event, `sharding: ${message}`);
    },
    ...(clock ? { clock } : {}),
  });
}
