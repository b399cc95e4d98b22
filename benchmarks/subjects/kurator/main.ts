/**
 * The Echo operator on Kurator: one owned ConfigMap kept in step, and a status. With CACHE=1 it only fills a cache of
 * ConfigMaps, and says so. make.ts bundles it.
 */
import { ConfigMap, createClient, type KubernetesObject, loadConfig, resourceType } from '@kurator/client';
import { createController, createManager, createWriter } from '@kurator/runtime';

interface Echo extends KubernetesObject {
  spec?: { message: string };
  status?: { ready: boolean; observedGeneration: number };
}
const Echo = resourceType<Echo>('bench.kurator.dev/v1', 'Echo', { plural: 'echoes' });
const namespace = process.env.NAMESPACE ?? 'default';

const manager = createManager({ client: createClient(await loadConfig()), http: false });
const maps = manager.caches.of(ConfigMap, { namespace });
if (process.env.CACHE) {
  void maps.untilSynced().then(() => process.stdout.write('synced\n'));
} else {
  const echoes = manager.caches.of(Echo, { namespace });
  const writer = createWriter({ client: manager.leaderClient, fieldManager: 'echo', caches: [echoes, maps] });
  manager.addController(
    createController({
      name: 'echo',
      for: echoes,
      owns: [maps],
      concurrency: 16,
      async reconcile(echo, { signal }) {
        const { name, generation = 0, deletionTimestamp } = echo.metadata;
        if (deletionTimestamp) return;
        const wanted = { metadata: { name }, data: { message: echo.spec?.message ?? '' } };
        await writer.apply(ConfigMap, wanted, { owner: echo, signal });
        await writer.writeStatus(Echo, echo, { ready: true, observedGeneration: generation }, { signal });
      },
      refresh: (echo, signal) => writer.refresh(Echo, echo, { signal }),
    }),
  );
}
await manager.run();
