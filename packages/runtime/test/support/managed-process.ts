/**
 * An operator for tests, as a process of its own, so that it can be sent signals: one controller that takes `slow`
 * milliseconds for each ConfigMap of a namespace. Arguments: namespace and slow.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigMap } from '@kurator/client';
import { sharedClient } from '@kurator/testenv';
import { createController } from '../../src/controller/controller.ts';
import { createManager } from '../../src/manager/manager.ts';

const [namespace = '', slow = '0'] = process.argv.slice(2);
const client = await sharedClient();
const manager = createManager({
  client,
  name: 'kurator.test/process',
  http: { host: '127.0.0.1', port: 0 },
  leaderElection: { namespace, lease: 'process' },
});
manager.addController(
  createController({
    name: 'slow',
    for: manager.caches.of(ConfigMap, { namespace, labelSelector: 'slow=yes' }),
    observers: manager.observers('slow', 'ConfigMap'),
    async reconcile(object) {
      await manager.leaderClient.patch(ConfigMap, object.metadata, { data: { state: 'begun' } });
      await delay(Number(slow));
      await manager.leaderClient.patch(ConfigMap, object.metadata, { data: { state: 'done' } });
    },
  }),
);
await manager.run();
await client.close();
