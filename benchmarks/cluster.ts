/**
 * How long clusters take to come and go, and what they hold in memory, with a warm cache.
 * `npm run bench -- cluster` prints a table and adds one line a figure to results/cluster.jsonl.
 */
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { type Client, Pod } from '@kurator/client';
import { BUSYBOX_IMAGE, busyboxImage, type Cluster, createCluster, imageFromNodeBundle } from '@kurator/testenv';

interface Figure {
  figure: string;
  value: number;
  unit: 's' | 'MiB';
  target?: number;
}

const figures: Figure[] = [];
const results = join(import.meta.dirname, 'results', 'cluster.jsonl');

async function timed<T>(figure: string, target: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  figures.push({ figure, value: (performance.now() - started) / 1000, unit: 's', target });
  return result;
}

/** From nothing to a pod that the API server calls running, on a cluster whose DNS answers. */
async function upToFirstPod(nodes: number): Promise<Cluster> {
  const { cluster } = await createCluster({ name: `bench-${nodes}`, nodes });
  await cluster.load((await busyboxImage()).path);
  const client = await cluster.client();
  const metadata = { name: 'first', namespace: 'default' };
  const container = { name: 'main', image: BUSYBOX_IMAGE, command: ['sleep', 'infinity'] };
  await client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } });
  await untilRunning(client, ['first']);
  await client.close();
  return cluster;
}

async function untilRunning(client: Client, names: readonly string[]): Promise<void> {
  const waiting = new Set(names);
  for await (const { type, object } of client.watch(Pod, { namespace: 'default', resourceVersion: '0' })) {
    if (type !== 'BOOKMARK' && object.status?.phase === 'Running') waiting.delete(object.metadata.name);
    if (waiting.size === 0) break;
  }
}

/** An image of the size that operators have, new each time but for its Node: on every node, in a pod of each. */
async function imageOnEveryNode(cluster: Cluster, label: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-bench-'));
  const client = await cluster.client();
  try {
    const bundle = join(folder, 'index.js');
    await writeFile(bundle, `setInterval(() => {}, 1000); // ${Date.now()}`);
    const { path, name: image } = await imageFromNodeBundle(bundle, { name: 'bench:1' });
    await timed(`${label}: an image with Node, loaded`, 5, () => cluster.load(path));
    const { nodes } = await cluster.status();
    await timed(`${label}: a pod of it on each node, running`, 10, async () => {
      for (const { name: nodeName } of nodes) {
        const metadata = { name: `on-${nodeName}`, namespace: 'default' };
        const spec = { nodeName, containers: [{ name: 'main', image }] };
        await client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
      }
      await untilRunning(
        client,
        nodes.map(({ name }) => `on-${name}`),
      );
    });
  } finally {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function memoryOf(cluster: Cluster, label: string): Promise<void> {
  const status = await cluster.status();
  const parts = [
    ...status.components.filter(({ machine }) => machine !== 'n2' && machine !== 'n3'),
    { name: 'supervisor', ...status.supervisor },
  ];
  for (const { name, memory = 0 } of parts)
    figures.push({ figure: `${label}: memory of ${name}`, value: memory / 2 ** 20, unit: 'MiB' });
  const all = [...status.components, status.supervisor].reduce((sum, { memory = 0 }) => sum + memory, 0);
  figures.push({ figure: `${label}: memory of all parts`, value: all / 2 ** 20, unit: 'MiB' });
}

const { cluster: plane } = await timed('control plane alone: ready', 5, () => createCluster({ name: 'bench-plane' }));
await memoryOf(plane, 'control plane alone');
await timed('control plane alone: gone', 5, () => plane.down());
for (const nodes of [1, 3]) {
  const label = nodes === 1 ? 'one node' : 'three nodes';
  const cluster = await timed(`${label}: DNS and a first running pod`, nodes === 1 ? 25 : 45, () =>
    upToFirstPod(nodes),
  );
  await memoryOf(cluster, label);
  await imageOnEveryNode(cluster, label);
  await timed(`${label}: gone`, 5, () => cluster.down());
}

await mkdir(dirname(results), { recursive: true });
const machine = { cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version };
const at = new Date().toISOString();
await appendFile(results, figures.map((figure) => `${JSON.stringify({ at, ...figure, machine })}\n`).join(''));
console.table(
  figures.map(({ figure, value, unit, target }) => ({
    figure,
    value: `${value.toFixed(unit === 's' ? 2 : 0)} ${unit}`,
    target: target ? `≤ ${target} s` : '',
  })),
);
