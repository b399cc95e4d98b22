// @ts-nocheck: its client is installed where it is built, not here.
/**
 * The Echo operator on plain informers of @kubernetes/client-node: one owned ConfigMap kept in step, and a status. With
 * CACHE=1 it only fills a cache of ConfigMaps, and says so. The queue, which that client lacks, is the smallest one that
 * does: each key once, 16 at a time, failures again after a second.
 */
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';

const CONCURRENCY = 16;
const namespace = process.env.NAMESPACE;
const echoResource = { group: 'bench.kurator.dev', version: 'v1', plural: 'echoes', namespace };

/** Left alone, it makes an agent, and so a TLS connection, for each request. */
class SharingKubeConfig extends KubeConfig {
  #dispatcher;
  createDispatcher(cluster, options) {
    this.#dispatcher ??= super.createDispatcher(cluster, options);
    return this.#dispatcher;
  }
}

const config = new SharingKubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);
const applying = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
const merging = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

const maps = informer(`/api/v1/namespaces/${namespace}/configmaps`, () => core.listNamespacedConfigMap({ namespace }));
const echoes = informer(`/apis/bench.kurator.dev/v1/namespaces/${namespace}/echoes`, () =>
  custom.listNamespacedCustomObject(echoResource),
);

function informer(path, list) {
  const made = makeInformer(config, path, list);
  made.on('error', () => setTimeout(() => made.start(), 1000));
  return made;
}

const waiting = new Set();
const running = new Set();

function enqueue(name) {
  waiting.add(name);
  for (const next of waiting) {
    if (running.size >= CONCURRENCY) return;
    if (!running.has(next)) void work(next);
  }
}

async function work(name) {
  waiting.delete(name);
  running.add(name);
  try {
    await reconcile(name);
  } catch {
    setTimeout(() => enqueue(name), 1000);
  }
  running.delete(name);
  const [next] = waiting;
  if (next) enqueue(next);
}

async function reconcile(name) {
  const echo = echoes.get(name, namespace);
  if (!echo) return;
  const { message } = echo.spec;
  if (maps.get(name, namespace)?.data?.message !== message) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: childMetadata(echo), data: { message } };
    await core.patchNamespacedConfigMap({ name, namespace, body, fieldManager: 'echo', force: true }, applying);
  }
  const { generation } = echo.metadata;
  if (echo.status?.ready && echo.status.observedGeneration === generation) return;
  const body = { status: { ready: true, observedGeneration: generation } };
  await custom.patchNamespacedCustomObjectStatus({ ...echoResource, name, body }, merging);
}

function childMetadata({ apiVersion, kind, metadata: { name, uid } }) {
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { name, namespace, ownerReferences: [owner] };
}

process.on('SIGTERM', () => process.exit());
if (process.env.CACHE) {
  await maps.start();
  console.log('synced');
} else {
  echoes.on('change', ({ metadata }) => enqueue(metadata.name));
  maps.on('change', ({ metadata }) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    if (owner?.kind === 'Echo') enqueue(owner.name);
  });
  await maps.start();
  await echoes.start();
}
