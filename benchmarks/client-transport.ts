/** What one request costs the client: 3,000 gets and 3,000 patches, 16 at a time, on a control plane of its own. */
import { ConfigMap, createClient, loadKubeconfig } from '@kurator/client';
import { createCluster } from '@kurator/testenv';

const REQUESTS = 3_000;
const CONCURRENCY = 16;
const ROUNDS = 6;

type Work = 'get' | 'patch';

interface Figure {
  seconds: number;
  cpuSeconds: number;
}

async function measure(kubeconfig: string, work: Work): Promise<Figure> {
  await using client = createClient(await loadKubeconfig(kubeconfig));
  const ref = (index: number) => ({ name: `object-${index % CONCURRENCY}`, namespace: 'default' });
  const requests = {
    get: async (index: number) => await client.get(ConfigMap, ref(index)),
    patch: async (index: number) => await client.patch(ConfigMap, ref(index), { data: { count: String(index) } }),
  };
  for (let index = 0; index < CONCURRENCY; index += 1) {
    await client.apply(ConfigMap, { metadata: ref(index), data: {} }, { fieldManager: 'bench', force: true });
  }
  // So that every connection is there before the clock starts: it is the requests that are measured.
  await Promise.all(Array.from({ length: CONCURRENCY * 4 }, (_, index) => requests.get(index)));
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < REQUESTS; index = next++) await requests[work](index);
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

function median(values: number[]): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN).toFixed(2);
}

const { cluster } = await createCluster({ name: 'bench-client-transport' });
try {
  const figures = new Map<string, Figure[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const work of ['get', 'patch'] as const) {
      figures.set(work, [...(figures.get(work) ?? []), await measure(cluster.kubeconfig, work)]);
    }
  }
  console.table(
    Object.fromEntries(
      [...figures].map(([label, runs]) => [
        label,
        {
          's (median)': median(runs.map(({ seconds }) => seconds)),
          'client CPU s': median(runs.map(({ cpuSeconds }) => cpuSeconds)),
          'requests/s': Math.round(REQUESTS / Number(median(runs.map(({ seconds }) => seconds)))),
        },
      ]),
    ),
  );
} finally {
  await cluster.down();
}
