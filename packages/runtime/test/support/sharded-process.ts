/**
 * A replica for tests, as a process of its own, so that it can be killed and frozen: it shares the ConfigMaps of a
 * namespace with others, and writes into each whose it is. Arguments: namespace, identity and mode. `mark` does that
 * once; `work` begins and ends work on each object again and again, each with a write.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigMap } from '@kurator/client';
import { sharedClient } from '@kurator/testenv';
import { createController } from '../../src/controller/controller.ts';
import type { ReconcileContext, ReconcileResult } from '../../src/controller/reconcile.ts';
import { createLogger } from '../../src/insight/logger.ts';
import { createManager } from '../../src/manager/manager.ts';
import { createSharding } from '../../src/sharding/sharding.ts';
import type { ShardingEvent } from '../../src/sharding/sharding-event.ts';
import { groupName, sharded, timing } from './sharded-group.ts';

const [namespace = '', identity = '', mode = 'mark'] = process.argv.slice(2);
const client = await sharedClient();
const manager = createManager({ client, name: identity, http: false, logger: createLogger({ level: 'silent' }) });
const report = (event: ShardingEvent) => {
  if (event.type !== 'renewed')
    process.stdout.write(`${JSON.stringify({ at: Date.now(), identity, ...told(event) })}\n`);
};
const sharding = createSharding({ client, name: groupName, namespace, identity, report, ...timing });
const fenced = sharding.client(client);
const maps = manager.caches.of(ConfigMap, { namespace, labelSelector: sharded });

/** An error says nothing as JSON. */
function told(event: ShardingEvent): object {
  return JSON.parse(JSON.stringify(event, (_, value) => (value instanceof Error ? value.message : value)));
}

const write = async (object: ConfigMap, data: Record<string, string>, { signal }: ReconcileContext) => {
  // With the version that was read: what somebody else has changed since is not written over.
  const written = await fenced.replace(ConfigMap, { ...object, data }, { signal, retries: 0 });
  maps.observe(written);
  return written;
};

const modes: Record<string, (object: ConfigMap, context: ReconcileContext) => Promise<ReconcileResult | undefined>> = {
  async mark(object, context) {
    const by = sharding.state().member;
    if (object.data?.by !== by) await write(object, { by }, context);
    return undefined;
  },
  async work(object, context) {
    const mark = { by: sharding.state().member, run: randomUUID() };
    const begun = await write(object, { ...mark, phase: 'begin' }, context);
    await delay(20);
    await write(begun, { ...mark, phase: 'end' }, context);
    return { requeueAfter: 50 };
  },
};

const reconcile = modes[mode];
if (!reconcile) throw new Error(`there is no mode ${mode}`);
manager.add(sharding);
manager.addController(createController({ name: 'sharded', for: maps, shard: sharding, concurrency: 16, reconcile }));
await manager.run();
await client.close();
