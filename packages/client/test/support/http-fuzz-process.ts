/**
 * Compares our client of HTTP/1.1 with Node's on as many rows of random answers as it is told, and prints what it saw:
 * `npm run bench -- http-fuzz [ROWS [SEED]]`. It ends with 1 where they differ in a way that is not listed.
 */
import fc from 'fast-check';
import { served } from './http-fuzz/answers.ts';
import { compare, type DifferenceName, differences } from './http-fuzz/compare.ts';

// Half of the time would go into the stacks of errors that are meant to happen.
Error.stackTraceLimit = 0;

const BATCH = 10_000;
const [rows = 100_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
const print = (line: string) => process.stdout.write(`${line}\n`);
const counts = { rows: 0, requests: 0, answers: 0 };
const seen = new Map<DifferenceName, number>();

const row = fc.array(served, { minLength: 1, maxLength: 3 });
const begun = performance.now();
for (let batch = 0; counts.rows < rows; batch += 1) {
  const property = fc.asyncProperty(row, async (answers) => {
    const { requests, answers: good, differences: found } = await compare(answers);
    counts.rows += 1;
    counts.requests += requests;
    counts.answers += good;
    for (const name of found) seen.set(name, (seen.get(name) ?? 0) + 1);
  });
  await fc.assert(property, { seed: seed + batch, numRuns: Math.min(BATCH, rows - counts.rows) });
  process.stderr.write(`${counts.rows} rows after ${Math.round((performance.now() - begun) / 1000)} s\n`);
}
print(`seed ${seed}: ${counts.rows} rows of answers, ${counts.requests} requests by each client`);
print(`${counts.answers} answers read; what is not one is refused, or awaited, by both; all alike, but for`);
for (const name of Object.keys(differences) as DifferenceName[]) {
  print(`${String(seen.get(name) ?? 0).padStart(9)}  ${name}: ${differences[name]}`);
}
