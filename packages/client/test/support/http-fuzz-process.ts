/**
 * Compares our client of HTTP/1.1 with Node's on as many rows of random answers as it is told, and prints what it saw:
 * `npm run bench -- http-fuzz [ROWS [SEED]]`. It ends with 1 where they differ in a way that is not listed.
 *
 * A row costs neither sockets nor time to wait, only work: so each core has a thread, and a thread has many rows under way,
 * which share the turns of the event loop that each would wait for by itself.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { served } from './http-fuzz/answers.ts';
import { compare, type DifferenceName, differences } from './http-fuzz/compare.ts';

const BATCH = 10_000;
const AT_ONCE = 64;

/** Rows that belong together: the same seed is the same rows, whoever compares them. */
interface Batch {
  readonly seed: number;
  readonly rows: number;
}

interface Counts {
  rows: number;
  requests: number;
  answers: number;
  readonly differences: Partial<Record<DifferenceName, number>>;
}

const row = fc.array(served, { minLength: 1, maxLength: 3 });
if (isMainThread) await main();
else await work(workerData as Batch[]);

async function main(): Promise<void> {
  const [rows = 100_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
  const batches = Array.from({ length: Math.ceil(rows / BATCH) }, (_, i): Batch => {
    return { seed: seed + i, rows: Math.min(BATCH, rows - i * BATCH) };
  });
  const threads = Math.min(availableParallelism(), batches.length);
  const counts: Counts = { rows: 0, requests: 0, answers: 0, differences: {} };
  const begun = performance.now();
  const working = Array.from({ length: threads }, async (_, thread) => {
    const mine = batches.filter((_batch, i) => i % threads === thread);
    // Nearly everything that is made is gone after one row: with more room there is less to collect.
    const resourceLimits = { maxYoungGenerationSizeMb: 64 };
    const worker = new Worker(new URL(import.meta.url), { workerData: mine, resourceLimits });
    worker.on('message', (more: Counts) => {
      add(counts, more);
      process.stderr.write(`${counts.rows} rows after ${Math.round((performance.now() - begun) / 1000)} s\n`);
    });
    await once(worker, 'exit');
  });
  await Promise.all(working);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(`seed ${seed}: ${counts.rows} rows of answers, ${counts.requests} requests by each client`);
  print(`${counts.answers} answers read; what is not one is refused, or awaited, by both; all alike, but for`);
  for (const name of Object.keys(differences) as DifferenceName[]) {
    print(`${String(counts.differences[name] ?? 0).padStart(9)}  ${name}: ${differences[name]}`);
  }
}

async function work(batches: readonly Batch[]): Promise<void> {
  // Half of the time would go into the stacks of errors that are meant to happen.
  Error.stackTraceLimit = 0;
  for (const batch of batches) parentPort?.postMessage(await compareAll(batch));
}

async function compareAll({ seed, rows }: Batch): Promise<Counts> {
  const counts: Counts = { rows: 0, requests: 0, answers: 0, differences: {} };
  const left = fc.sample(row, { seed, numRuns: rows }).values();
  const take = async () => {
    for (const answers of left) {
      const { requests, answers: good, differences: found } = await compare(answers);
      add(counts, { rows: 1, requests, answers: good, differences: {} });
      for (const name of found) add(counts, { rows: 0, requests: 0, answers: 0, differences: { [name]: 1 } });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, take));
  } catch (error) {
    // One after another, so that the smallest row is told that shows it.
    await fc.assert(
      fc.asyncProperty(row, async (answers) => void (await compare(answers))),
      { seed, numRuns: rows },
    );
    throw error;
  }
  return counts;
}

function add(sum: Counts, more: Counts): void {
  sum.rows += more.rows;
  sum.requests += more.requests;
  sum.answers += more.answers;
  for (const [name, count] of Object.entries(more.differences) as [DifferenceName, number][]) {
    sum.differences[name] = (sum.differences[name] ?? 0) + count;
  }
}
