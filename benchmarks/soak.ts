/**
 * Whether the operator's memory stays flat: 20,000 objects and 1,000 changes a second, for minutes.
 * `npm run bench -- soak` prints a row a minute and a verdict, and writes results/soak.jsonl, one line a sample.
 * MINUTES (5), OBJECTS (20000) and RATE (1000) set it.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Namespace } from '@kurator/client';
import { createCluster } from '@kurator/testenv';
import { Crowd } from './driver/churn.ts';
import { each } from './driver/each.ts';
import { follow } from './driver/follow.ts';
import { positive, whole } from './driver/options.ts';
import { atPace } from './driver/pace.ts';
import { writeLines } from './figures/lines.ts';
import { median } from './figures/quantile.ts';
import { growthOf } from './figures/slope.ts';
import { markdownTable } from './figures/table.ts';
import { Echo, installEcho, isDone } from './subjects/echo.ts';
import { makeKurator } from './subjects/kurator/make.ts';
import { type RunningSubject, startSubject } from './subjects/subject.ts';

const minutes = positive('MINUTES', process.env.MINUTES ?? '5');
const objects = whole('OBJECTS', process.env.OBJECTS ?? '20000');
const rate = positive('RATE', process.env.RATE ?? '1000');
const SAMPLE_MILLISECONDS = 2000;
/** What the first changes still bring in, as compiled code and grown buffers, is no leak. */
const WARM_UP_SHARE = 0.2;
const MIB = 2 ** 20;

interface Sample {
  readonly minute: number;
  readonly changes: number;
  readonly rssMiB: number;
  /** Once a minute, since asking for it means a collection: what is alive in the heap, and in buffers outside of it. */
  readonly heapMiB?: number;
  readonly buffersMiB?: number;
}

const say = (text: string) => process.stderr.write(`${text}\n`);
process.once('SIGTERM', () => process.exit(143));
const namespace = 'soak';
const samples: Sample[] = [];
let changes = 0;

const [node, ...program] = (await makeKurator()).command;
const report = join(import.meta.dirname, 'subjects', 'kurator', 'memory-report.mjs');
const subject = { name: 'kurator', command: [node, '--expose-gc', '--import', report, ...program] } as const;

// Every change leaves an old version behind: etcd must be told to forget them sooner than usual.
const { cluster } = await createCluster({
  name: `bench-soak-${process.pid}`,
  apiServerArguments: ['--etcd-compaction-interval=1m'],
});
const client = await cluster.client();
let operator: RunningSubject | undefined;
try {
  await installEcho(client);
  await client.create(Namespace, { metadata: { name: namespace } });
  const crowd = new Crowd(client, namespace, objects);
  say(`making ${objects} objects`);
  await each(objects, (place) => crowd.fill(place));
  operator = startSubject(subject, { KUBECONFIG: cluster.kubeconfig, NAMESPACE: namespace });
  await operator.during(untilAllDone());
  say(`${minutes} minutes of ${rate} changes a second`);
  const soak = { perSecond: rate, seconds: minutes * 60, concurrency: 64 };
  const change = async (i: number) => {
    await crowd.change(i);
    changes++;
  };
  const over = new AbortController();
  const sampling = sampleUntil(over.signal, operator);
  await operator.during(atPace(soak, change)).finally(() => over.abort());
  await sampling;
  const since = performance.now();
  await operator.during(untilAllDone());
  say(`everything was done ${((performance.now() - since) / 1000).toFixed(1)} s after the last change`);
} finally {
  await operator?.stop();
  await client.close();
  await cluster.down();
}

await writeLines('soak', samples);
console.log(markdownTable([['minute', 'changes/s', 'RSS MiB', 'live heap MiB', 'buffers MiB'], ...rows()]));
console.log(`RSS: ${verdictOn(({ rssMiB }) => rssMiB)}`);
console.log(`live heap: ${verdictOn(({ heapMiB }) => heapMiB)}`);

async function untilAllDone(): Promise<void> {
  await follow(client, Echo, { namespace, count: objects, isDone }).done;
}

async function sampleUntil(over: AbortSignal, running: RunningSubject): Promise<void> {
  const started = performance.now();
  let asked = 0;
  while (!over.aborted) {
    await delay(SAMPLE_MILLISECONDS);
    const minute = (performance.now() - started) / 60_000;
    const { rssMiB } = await running.usage();
    const heap = minute >= asked ? await askForHeap(running) : {};
    if (minute >= asked) asked += 1;
    samples.push({ minute, changes, rssMiB, ...heap });
  }
}

async function askForHeap(running: RunningSubject) {
  const answer = running.says('memory ');
  running.signal('SIGUSR2');
  const { heapUsed, external } = JSON.parse((await answer).slice('memory '.length));
  return { heapMiB: heapUsed / MIB, buffersMiB: external / MIB };
}

function verdictOn(figure: (sample: Sample) => number | undefined): string {
  const points = samples.flatMap((sample) => {
    const y = figure(sample);
    return y === undefined || sample.minute < minutes * WARM_UP_SHARE ? [] : [{ x: sample.minute, y }];
  });
  if (points.length < 3) return 'not looked at long enough to tell';
  const { verdict, slope, share } = growthOf(points);
  return `${verdict} (${slope.toFixed(2)} MiB a minute, ${(share * 100).toFixed(1)} % since the first fifth)`;
}

/** A row a minute: its typical values. */
function rows(): string[][] {
  return Array.from({ length: Math.ceil(minutes) }, (_, minute) => {
    const during = samples.filter((sample) => Math.floor(sample.minute) === minute);
    const typical = (of: (sample: Sample) => number | undefined) =>
      median(during.map(of).filter((value) => value !== undefined)).toFixed(0);
    const [first, last] = [during[0], during.at(-1)];
    const perSecond = first && last ? (last.changes - first.changes) / ((last.minute - first.minute) * 60) : Number.NaN;
    const memory = [
      ({ rssMiB }: Sample) => rssMiB,
      ({ heapMiB }: Sample) => heapMiB,
      ({ buffersMiB }: Sample) => buffersMiB,
    ];
    return [String(minute + 1), perSecond.toFixed(0), ...memory.map(typical)];
  });
}
