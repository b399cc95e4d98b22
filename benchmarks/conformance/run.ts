/** Runs one part of the suite against a cluster. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withoutProxyForClusters } from '@kurator/testenv';
import type { Outcome } from './outcome.ts';
import { focusOn, type Part } from './parts.ts';
import { type GinkgoReport, outcomesIn, passedReader, trouble } from './report.ts';
import type { Suite } from './suite.ts';

export interface Run {
  readonly suite: Suite;
  readonly part: Part;
  readonly procs: number;
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** Where reports and output go. */
  readonly folder: string;
  /** Hears of each test that passed, when it does. */
  readonly onPassed: (outcome: Outcome) => void;
}

/** Rejects where not one test could be run, with the suite's own reason. */
export async function runPart({ suite, part, procs, kubeconfig, kubectl, folder, onPassed }: Run): Promise<Outcome[]> {
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const args = [
    ...['run', '--no-color', '-v', `--procs=${part.isSerial ? 1 : procs}`, '--timeout=3h', `--output-dir=${folder}`],
    ...['--json-report=report.json', '--junit-report=junit.xml', `--focus=${focusOn(part.tests)}`],
    ...[suite.e2e, '--', `--kubeconfig=${kubeconfig}`, `--kubectl-path=${kubectl}`],
    ...['--provider=local', '--disable-log-dump', `--e2e-output-dir=${folder}`],
  ];
  const read = passedReader(part.tests);
  const ended = await run(suite.ginkgo, args, folder, (line) => {
    const outcome = read(line);
    if (outcome) onPassed(outcome);
  });
  const text = await readFile(report, 'utf8').catch(() => '[]');
  const reports = JSON.parse(text) as GinkgoReport[];
  const outcomes = outcomesIn(reports);
  if (outcomes.length > 0) return outcomes;
  throw new Error(`no test was run (${ended}): ${trouble(reports) ?? `see ${join(folder, 'output.log')}`}`);
}

async function run(program: string, args: readonly string[], folder: string, onLine: (line: string) => void) {
  const child = spawn(program, args, {
    cwd: folder,
    env: withoutProxyForClusters(process.env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // It has children of its own, which are in its group.
  const kill = () => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
  process.once('exit', kill);
  const log = createWriteStream(join(folder, 'output.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  createInterface(child.stdout).on('line', onLine);
  try {
    return await new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
  } finally {
    process.off('exit', kill);
    log.end();
  }
}
