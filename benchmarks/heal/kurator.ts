/** Our own checks, as an operator runs them. */
import { setTimeout as delay } from 'node:timers/promises';
import { CheckScheduler, latenessAt } from '@kurator/operator-kurator';
import { type Findings, loadFromEnvironment, targetOf } from './load.ts';

const load = loadFromEnvironment(process.env);
const counts = { results: 0, failed: 0 };

const scheduler = new CheckScheduler({
  // Flat out is measured on one core: everything in this thread.
  ...(load.flatOut && { threads: 0 }),
  onResult({ outcome }) {
    counts.results++;
    if (outcome !== 'healthy') counts.failed++;
    return undefined;
  },
});
for (let i = 0; i < load.checks; i++) {
  scheduler.set({
    target: `default/web-${i}`,
    check: load.kind,
    timeoutMs: load.timeoutMs,
    intervalMs: load.flatOut ? 1 : load.intervalMs,
    probe:
      load.kind === 'tcp'
        ? { kind: 'tcp', ...targetOf(i, load) }
        : { kind: 'http', path: '/healthz', ...targetOf(i, load) },
  });
}

await delay(load.warmSeconds * 1000);
const before = scheduler.statistics();
const countsBefore = { ...counts };
console.log('begin');
await delay(load.measureSeconds * 1000);
const after = scheduler.statistics();
const lateness = after.lateness.map((count, i) => count - (before.lateness[i] ?? 0));
const findings: Findings = {
  results: counts.results - countsBefore.results,
  failed: counts.failed - countsBefore.failed,
  missed: after.missed - before.missed,
  p50: latenessAt(lateness, 0.5),
  p99: latenessAt(lateness, 0.99),
};
console.log('end', JSON.stringify(findings));
