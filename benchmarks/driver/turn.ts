/** One operator's turn with Echo objects: it is given work, and what that takes is measured. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConfigMap, Namespace } from '@kurator/client';
import type { Figures } from '../figures/metrics.ts';
import { percentile } from '../figures/quantile.ts';
import { countedBetween, type ServerCounters, serverCounters } from '../figures/server-counters.ts';
import { Echo, isDone } from '../subjects/echo.ts';
import { type RunningSubject, type Subject, startSubject } from '../subjects/subject.ts';
import { each } from './each.ts';
import { follow, sights } from './follow.ts';

const LATENCY_SAMPLES = 300;
const MOST_RECREATED = 500;
const IDLE_MILLISECONDS = 5000;

/** Who does what, and where. */
export interface Turn {
  readonly subject: Subject;
  readonly client: Client;
  readonly kubeconfig: string;
  /** Made for this turn alone. */
  readonly namespace: string;
  readonly size: number;
}

const seconds = (since: number) => (performance.now() - since) / 1000;
const nameOf = (i: number) => `echo-${i}`;

/** Everything that is measured with Echo objects. */
export async function measureAll(turn: Turn): Promise<Figures> {
  const { client, namespace, size } = turn;
  await client.create(Namespace, { metadata: { name: namespace } });
  const before = await lookAtServer(client);
  const start = await measureStart(turn);
  await each(size - 1, (i) => makeEcho(turn, nameOf(i + 1)));
  const { operator, figures } = await converge(turn);
  try {
    const latency = await operator.during(measureLatency(turn));
    const burst = await operator.during(measureBurst(turn, operator));
    const recreation = await operator.during(measureRecreation(turn));
    const idle = await operator.during(measureIdle(operator));
    const byDriver = size + LATENCY_SAMPLES + size + recreated(turn);
    const asked = countedBetween(before, await lookAtServer(client), byDriver);
    return { ...start, ...figures, ...latency, ...burst, ...recreation, ...idle, ...asked };
  } finally {
    await operator.stop();
    await clear(turn);
  }
}

/** Only the way from objects that nobody looked after to all of them done. */
export async function measureConverge(turn: Turn): Promise<Figures> {
  const { client, namespace, size } = turn;
  await client.create(Namespace, { metadata: { name: namespace } });
  await each(size, (i) => makeEcho(turn, nameOf(i)));
  const { operator, figures } = await converge(turn);
  await operator.stop();
  await clear(turn);
  return figures;
}

/** From the start of the process to the first object that is done. */
async function measureStart(turn: Turn): Promise<Figures> {
  await makeEcho(turn, nameOf(0));
  const { listed, done } = follow(turn.client, Echo, { namespace: turn.namespace, count: 1, isDone });
  await listed;
  const since = performance.now();
  const operator = start(turn);
  try {
    await operator.during(done);
    return { start_s: seconds(since) };
  } finally {
    await operator.stop();
  }
}

/** Leaves the operator running, unless it failed. */
async function converge(turn: Turn): Promise<{ operator: RunningSubject; figures: Figures }> {
  const { client, namespace, size } = turn;
  const { listed, done } = follow(client, Echo, { namespace, count: size, isDone });
  await listed;
  const since = performance.now();
  const operator = start(turn);
  try {
    await operator.during(done);
    const converge_s = seconds(since);
    const { cpuSeconds, peakMiB } = await operator.usage();
    return { operator, figures: { converge_s, converge_cpu_s: cpuSeconds, converge_peak_rss: peakMiB } };
  } catch (error) {
    await operator.stop();
    throw error;
  }
}

/** One watch for all samples: the measuring must not cost more than what is measured. */
async function measureLatency({ client, namespace }: Turn): Promise<Figures> {
  const times: number[] = [];
  let since = 0;
  let name = '';
  const next = async () => {
    name = `late-${times.length}`;
    since = performance.now();
    await client.create(Echo, { metadata: { name, namespace }, spec: { message: 'hello' } });
  };
  for await (const sight of sights(client, Echo, namespace)) {
    if (sight === 'anew') {
      if (name === '') await next();
      continue;
    }
    if (sight.object.metadata.name !== name || !isDone(sight.object)) continue;
    times.push(performance.now() - since);
    if (times.length === LATENCY_SAMPLES) break;
    await next();
  }
  return { latency_p50_ms: percentile(times, 0.5), latency_p99_ms: percentile(times, 0.99) };
}

/** All objects are changed at once, as fast as the driver can. */
async function measureBurst({ client, namespace, size }: Turn, operator: RunningSubject): Promise<Figures> {
  const isChanged = (echo: Echo) => echo.spec?.message === 'changed' && isDone(echo);
  const { listed, done } = follow(client, Echo, { namespace, count: size, isDone: isChanged });
  await listed;
  const before = await operator.usage();
  const since = performance.now();
  await each(size, (i) => client.patch(Echo, { name: nameOf(i), namespace }, { spec: { message: 'changed' } }));
  await done;
  const burst_s = seconds(since);
  return { burst_s, burst_cpu_s: (await operator.usage()).cpuSeconds - before.cpuSeconds };
}

/** Children are deleted behind the operator's back. */
async function measureRecreation(turn: Turn): Promise<Figures> {
  const { client, namespace } = turn;
  const count = recreated(turn);
  const { items } = await client.list(ConfigMap, { namespace });
  const old = new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
  const deleted = new Set(Array.from({ length: count }, (_, i) => nameOf(i)));
  const isNew = ({ metadata }: ConfigMap) => deleted.has(metadata.name) && metadata.uid !== old.get(metadata.name);
  const { listed, done } = follow(client, ConfigMap, { namespace, count, isDone: isNew });
  await listed;
  const since = performance.now();
  await each(count, (i) => client.delete(ConfigMap, { name: nameOf(i), namespace }));
  await done;
  return { recreate_s: seconds(since) };
}

async function measureIdle(operator: RunningSubject): Promise<Figures> {
  const before = await operator.usage();
  await delay(IDLE_MILLISECONDS);
  return { idle_cpu_s: (await operator.usage()).cpuSeconds - before.cpuSeconds };
}

function recreated({ size }: Turn): number {
  return Math.min(MOST_RECREATED, size);
}

function start({ subject, kubeconfig, namespace }: Turn): RunningSubject {
  return startSubject(subject, { KUBECONFIG: kubeconfig, NAMESPACE: namespace });
}

async function makeEcho({ client, namespace }: Turn, name: string): Promise<void> {
  await client.create(Echo, { metadata: { name, namespace }, spec: { message: 'hello' } });
}

async function lookAtServer(client: Client): Promise<ServerCounters> {
  return serverCounters(await client.raw<string>('GET', '/metrics'), ['echoes', 'configmaps']);
}

/** So that whoever comes later meets the same server. */
async function clear({ client, namespace }: Turn): Promise<void> {
  for (const type of [Echo, ConfigMap]) await client.deleteCollection(type, { namespace, timeout: 60_000 });
}
