import { ConfigMap, createClient, loadConfig, Namespace } from '@kurator/client';
import { createController, createManager, createWriter, declarative } from '@kurator/runtime';

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
    ...declarative({
      writer,
      for: namespaces,
      async reconcile({ metadata }, { apply }) {
        const labels = { app: 'welcome' };
        const data = { team: metadata.labels?.team ?? '' };
        await apply(ConfigMap, { metadata: { name: 'welcome', namespace: metadata.name, labels }, data });
      },
    }),
  }),
);
await manager.run();
