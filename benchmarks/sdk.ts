/**
 * The same small operator on Kurator and on its peers, doing the same work against the same API server, in turns.
 * `npm run bench -- sdk` prints medians with ratios to controller-runtime and writes results/sdk.jsonl.
 * docs/reference/benchmarks.md says what is measured, and how to have a quicker look.
 */
import { createCluster } from '@kurator/testenv';
import { fillCache, measureCache } from './driver/cache-turn.ts';
import { sdkOptions } from './driver/options.ts';
import { measureAll, measureConverge } from './driver/turn.ts';
import { Comparison, comparisonTable } from './figures/comparison.ts';
import { writeLines } from './figures/lines.ts';
import { atSize, type Figures } from './figures/metrics.ts';
import { slope } from './figures/slope.ts';
import { buildSubjects, subjectNames } from './subjects/build.ts';
import { installEcho } from './subjects/echo.ts';
import type { Subject } from './subjects/subject.ts';

const { subjects: names, runs, size, cached, shares } = sdkOptions(process.env, subjectNames);
const say = (text: string) => process.stderr.write(`${text}\n`);
process.once('SIGTERM', () => process.exit(143));

const { subjects, missing } = await buildSubjects(names);
for (const reason of missing) say(`left out: ${reason}`);
const comparison = new Comparison('controller-runtime');
const failures = new Map<Subject, string>();

// Deleting what one turn leaves behind is no part of the next one: it may be quick.
const { cluster } = await createCluster({
  name: `bench-sdk-${process.pid}`,
  apiServerArguments: ['--delete-collection-workers=16'],
});
const client = await cluster.client();
try {
  await installEcho(client);
  await inTurns('operator', measureOperator);
  for (const share of shares) await fillCache(client, at(cached, share));
  await inTurns('cache', measureCaches);
} finally {
  await client.close();
  await cluster.down();
}

const lines = comparison.lines();
await writeLines('sdk', lines);
console.log(comparisonTable(lines));
for (const reason of [...missing, ...failures.values()]) console.log(`left out: ${reason}`);

/** Every subject once a round, each round beginning with another: nobody always has the server that others warmed. */
async function inTurns(what: string, measure: (subject: Subject, round: number) => Promise<Record<string, number>>) {
  for (let round = 0; round < runs; round++) {
    for (let i = 0; i < subjects.length; i++) {
      const subject = subjects[(i + round) % subjects.length];
      if (!subject || failures.has(subject)) continue;
      say(`${what}, round ${round + 1} of ${runs}: ${subject.name}`);
      try {
        comparison.note(subject.name, await measure(subject, round));
      } catch (error) {
        failures.set(subject, `${subject.name}, ${what}, round ${round + 1}: ${(error as Error).message}`);
        say(`given up: ${failures.get(subject)}`);
      }
    }
  }
}

async function measureOperator(subject: Subject, round: number): Promise<Record<string, number>> {
  let figures: Record<string, number> = {};
  for (const share of shares) {
    const namespace = `${subject.name}-${round}-${share}`.replace('.', '-');
    const turn = { subject, client, kubeconfig: cluster.kubeconfig, namespace, size: at(size, share) };
    figures = {
      ...figures,
      ...(share === 1 ? await measureAll(turn) : atSize(await measureConverge(turn), turn.size)),
    };
  }
  return figures;
}

async function measureCaches(subject: Subject): Promise<Record<string, number>> {
  let figures: Record<string, number> = {};
  const growth: { x: number; y: number }[] = [];
  for (const share of shares) {
    const objects = at(cached, share);
    const measured: Figures = await measureCache(subject, cluster.kubeconfig, objects);
    growth.push({ x: objects, y: (measured.cache_rss ?? 0) * 2 ** 20 });
    figures = { ...figures, ...(share === 1 ? measured : atSize(measured, objects)) };
  }
  return growth.length > 1 ? { ...figures, cache_bytes_per_object: slope(growth) } : figures;
}

function at(whole: number, share: number): number {
  return Math.max(1, Math.round(whole * share));
}
