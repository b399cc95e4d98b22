import { ConfigMap, createClient, loadConfig, Namespace } from '@kurator/client';
import { createController, createManager, createWriter } from '@kurator/runtime';

// Every namespace with the label `team` gets a ConfigMap that says whose it is, and keeps it.
const manager = createManager({ client: createClient(await loadConfig()), name: 'example.com/welcome' });
const namespaces = manager.caches.of(Namespace, { labelSelector: 'team' });
const maps = manager.caches.of(ConfigMap, { labelSelector: 'app=welcome' });
const writer = createWriter({ client: manager.leaderClient, fieldManager: 'welcome', caches: [namespaces, maps] });

manager.addController(
  createController({
    name: 'welcome',
    for: namespaces,
    owns: [maps],
    observers: manager.observers('welcome', 'Namespace'),
    async reconcile(namespace, { signal }) {
      const { name, labels, deletionTimestamp } = namespace.metadata;
      if (deletionTimestamp) return;
      const data = { team: labels?.team ?? '' };
      const wanted = { metadata: { name: 'welcome', namespace: name, labels: { app: 'welcome' } }, data };
      await writer.apply(ConfigMap, wanted, { owner: namespace, signal });
    },
  }),
);
await manager.run();
