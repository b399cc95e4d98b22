/**
 * The same small operator on Kurator and on its peers, doing the same work against the same API server, in turns.
 * `npm run bench -- sdk` prints medians with ratios to controller-runtime and writes results/sdk.jsonl.
 * SIZE=300 RUNS=1 makes a quick look of it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConfigMap, type KubernetesObject, Namespace, type ResourceType } from '@kurator/client';
import { type Cluster, createCluster } from '@kurator/testenv';
import { buildSubjects } from './subjects/build.ts';
import { Echo, installEcho, isDone } from './subjects/echo.ts';
import { type RunningSubject, type Subject, startSubject } from './subjects/subject.ts';

const SIZE = Number(process.env.SIZE ?? 3000);
const RUNS = Number(process.env.RUNS ?? 3);
const CACHED = Number(process.env.CACHED ?? 20_000);
const LATENCY_SAMPLES = 100;
const RECREATED = Math.min(500, SIZE);
const CONCURRENCY = 32;
const reference = 'controller-runtime';

const units = {
  start_s: 's',
  converge_s: 's',
  converge_cpu_s: 's',
  converge_peak_rss: 'MiB',
  latency_p50_ms: 'ms',
  latency_p99_ms: 'ms',
  burst_s: 's',
  burst_cpu_s: 's',
  recreate_s: 's',
  idle_cpu_s: 's',
  cache_sync_s: 's',
  cache_rss: 'MiB',
} as const;
type Metric = keyof typeof units;

const seconds = (since: number) => (performance.now() - since) / 1000;
const nameOf = (i: number) => `echo-${i}`;

/** Does `work` for 0 to count - 1, some at a time. */
async function each(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Watches a kind and resolves once `count` of its objects are as they should be, and stay so. */
function untilAll<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  namespace: string,
  count: number,
  done: (object: T) => boolean,
) {
  const stop = new AbortController();
  const ready = new Set<string>();
  return (async () => {
    for await (const { type: event, object } of client.watch(type, {
      namespace,
      resourceVersion: '0',
      timeoutSeconds: 600,
      signal: stop.signal,
    })) {
      if (event === 'BOOKMARK') continue;
      if (event !== 'DELETED' && done(object as T)) ready.add(object.metadata.name);
      else ready.delete(object.metadata.name);
      if (ready.size >= count) return;
    }
  })();
}

async function measureOperator(
  subject: Subject,
  client: Client,
  cluster: Cluster,
  namespace: string,
): Promise<Partial<Record<Metric, number>>> {
  await client.create(Namespace, { metadata: { name: namespace } });
  const env = { KUBECONFIG: cluster.kubeconfig, NAMESPACE: namespace };
  const make = (i: number) =>
    client.create(Echo, { metadata: { name: nameOf(i), namespace }, spec: { message: 'hello' } });

  await make(0);
  const first = untilAll(client, Echo, namespace, 1, isDone);
  const started = performance.now();
  const warmUp = startSubject(subject, env);
  await first;
  const start_s = seconds(started);
  await warmUp.stop();

  await each(SIZE - 1, (i) => make(i + 1));
  const all = untilAll(client, Echo, namespace, SIZE, isDone);
  const converging = performance.now();
  const operator = startSubject(subject, env);
  await all;
  const converge_s = seconds(converging);
  const { cpuSeconds, peakMiB } = await operator.usage();
  try {
    return {
      start_s,
      converge_s,
      converge_cpu_s: cpuSeconds,
      converge_peak_rss: peakMiB,
      ...(await measureLatency(client, namespace)),
      ...(await measureBurst(client, namespace, operator)),
      ...(await measureRecreation(client, namespace)),
      ...(await measureIdle(operator)),
    };
  } finally {
    await operator.stop();
  }
}

/** One watch for all samples: the measuring must not cost more than what is measured. */
async function measureLatency(client: Client, namespace: string) {
  const times: number[] = [];
  const stop = new AbortController();
  let since = 0;
  let name = '';
  const next = async () => {
    name = `late-${times.length}`;
    since = performance.now();
    await client.create(Echo, { metadata: { name, namespace }, spec: { message: 'hello' } });
  };
  const { metadata } = await client.list(Echo, { namespace, limit: 1 });
  const events = client.watch(Echo, {
    namespace,
    signal: stop.signal,
    ...(metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
  });
  await next();
  for await (const { type, object } of events) {
    if (type === 'BOOKMARK' || object.metadata.name !== name || !isDone(object)) continue;
    times.push(performance.now() - since);
    if (times.length === LATENCY_SAMPLES) break;
    await next();
  }
  times.sort((a, b) => a - b);
  const percentile = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { latency_p50_ms: percentile(0.5), latency_p99_ms: percentile(0.99) };
}

async function measureBurst(client: Client, namespace: string, operator: RunningSubject) {
  const before = await operator.usage();
  const since = performance.now();
  const done = untilAll(client, Echo, namespace, SIZE, (echo) => echo.spec?.message === 'changed' && isDone(echo));
  await each(SIZE, (i) => client.patch(Echo, { name: nameOf(i), namespace }, { spec: { message: 'changed' } }));
  await done;
  const burst_s = seconds(since);
  return { burst_s, burst_cpu_s: (await operator.usage()).cpuSeconds - before.cpuSeconds };
}

async function measureRecreation(client: Client, namespace: string) {
  const old = new Map<string, string>();
  const { items } = await client.list(ConfigMap, { namespace });
  for (const { metadata } of items) old.set(metadata.name, metadata.uid ?? '');
  const deleted = new Set(Array.from({ length: RECREATED }, (_, i) => nameOf(i)));
  const isNew = ({ metadata }: ConfigMap) => deleted.has(metadata.name) && metadata.uid !== old.get(metadata.name);
  const since = performance.now();
  const done = untilAll(client, ConfigMap, namespace, RECREATED, isNew);
  await each(RECREATED, (i) => client.delete(ConfigMap, { name: nameOf(i), namespace }));
  await done;
  return { recreate_s: seconds(since) };
}

async function measureIdle(operator: RunningSubject) {
  const before = await operator.usage();
  await delay(5000);
  return { idle_cpu_s: (await operator.usage()).cpuSeconds - before.cpuSeconds };
}

async function measureCache(subject: Subject, cluster: Cluster): Promise<Partial<Record<Metric, number>>> {
  const since = performance.now();
  const operator = startSubject(subject, { KUBECONFIG: cluster.kubeconfig, NAMESPACE: 'cached', CACHE: '1' });
  await operator.says('synced');
  const cache_sync_s = seconds(since);
  await delay(3000);
  const { rssMiB } = await operator.usage();
  await operator.stop();
  return { cache_sync_s, cache_rss: rssMiB };
}

async function fillCache(client: Client): Promise<void> {
  await client.create(Namespace, { metadata: { name: 'cached' } });
  const data = { payload: 'x'.repeat(2000) };
  await each(CACHED, (i) => client.create(ConfigMap, { metadata: { name: `map-${i}`, namespace: 'cached' }, data }));
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const say = (text: string) => process.stderr.write(`${text}\n`);
const { subjects, missing } = await buildSubjects();
for (const reason of missing) say(`left out: ${reason}`);
const { cluster } = await createCluster({ name: `bench-sdk-${process.pid}` });
const client = await cluster.client();
const measured = new Map(subjects.map(({ name }) => [name, new Map<Metric, number[]>()]));
const note = (subject: Subject, figures: Partial<Record<Metric, number>>) => {
  for (const [metric, value] of Object.entries(figures) as [Metric, number][]) {
    const values = measured.get(subject.name)?.get(metric) ?? [];
    measured.get(subject.name)?.set(metric, [...values, value]);
  }
};
try {
  await installEcho(client);
  await fillCache(client);
  for (let round = 1; round <= RUNS; round++) {
    for (const subject of subjects) {
      say(`round ${round} of ${RUNS}: ${subject.name}`);
      note(subject, await measureOperator(subject, client, cluster, `${subject.name}-${round}`));
      note(subject, await measureCache(subject, cluster));
    }
  }
} finally {
  await client.close();
  await cluster.down();
}

const lines = subjects.flatMap(({ name }) =>
  (Object.keys(units) as Metric[]).map((metric) => {
    const value = median(measured.get(name)?.get(metric) ?? []);
    const ratio = value / median(measured.get(reference)?.get(metric) ?? []);
    return { subject: name, metric, value, unit: units[metric], ratio };
  }),
);
const results = join(import.meta.dirname, 'results');
await mkdir(results, { recursive: true });
await writeFile(join(results, 'sdk.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
console.table(
  Object.fromEntries(
    (Object.keys(units) as Metric[]).map((metric) => [
      metric,
      Object.fromEntries(
        lines
          .filter((line) => line.metric === metric)
          .map(({ subject, value, unit, ratio }) => [subject, `${value.toFixed(2)} ${unit} (${ratio.toFixed(2)})`]),
      ),
    ]),
  ),
);
