/**
 * The Echo operator on Kurator: one owned ConfigMap kept in step, and a status. With CACHE=1 it only fills a cache of
 * ConfigMaps, and says so. make.ts bundles it.
 */
import { ConfigMap, createClient, type KubernetesObject, loadConfig, resourceType } from '@kurator/client';
import { createController, createManager, createWriter, declarative } from '@kurator/runtime';

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
      ...declarative({
        writer,
        for: echoes,
        async reconcile({ metadata, spec }, { apply }) {
          await apply(ConfigMap, { metadata: { name: metadata.name }, data: { message: spec?.message ?? '' } });
          return { status: { ready: true, observedGeneration: metadata.generation ?? 0 } };
        },
      }),
    }),
  );
}
await manager.run();
