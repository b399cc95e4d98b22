/** How the suite stands: counts, figures, and the reason of each test that did not pass. Pure. */
import type { Figure } from '../figures/lines.ts';
import { markdownTable } from '../figures/table.ts';
import type { Outcome, Test } from './outcome.ts';

export interface Summary {
  readonly all: number;
  readonly passed: number;
  /** Of those, what `known` has a reason for. */
  readonly known: readonly Outcome[];
  /** And what it has none for. */
  readonly unknown: readonly Outcome[];
  readonly notRun: number;
  /** That a reason is kept for, though they passed. */
  readonly mended: readonly string[];
  /** How long the tests took, one after another. */
  readonly seconds: number;
}

export function summaryOf(
  tests: readonly Test[],
  outcomes: ReadonlyMap<string, Outcome>,
  known: Readonly<Record<string, string>>,
): Summary {
  const run = tests.flatMap(({ name }) => outcomes.get(name) ?? []);
  const failed = run.filter(({ state }) => state === 'failed');
  const passed = run.filter(({ state }) => state === 'passed');
  return {
    all: tests.length,
    passed: passed.length,
    known: failed.filter(({ name }) => name in known),
    unknown: failed.filter(({ name }) => !(name in known)),
    notRun: tests.length - run.length,
    mended: passed.map(({ name }) => name).filter((name) => name in known),
    seconds: run.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

export function figuresOf({ all, passed, known, unknown, notRun, seconds }: Summary, subject: string): Figure[] {
  const tests = { all, passed, failed: known.length + unknown.length, not_run: notRun };
  const counts = Object.entries(tests).map(([metric, value]) => ({ subject, metric, value, unit: 'tests' }));
  return [...counts, { subject, metric: 'test_time', value: Math.round(seconds), unit: 's' }];
}

/** A table a group of Kubernetes' authors, and then what did not pass. */
export function shown(
  tests: readonly Test[],
  outcomes: ReadonlyMap<string, Outcome>,
  reasons: Readonly<Record<string, string>>,
): string {
  const summary = summaryOf(tests, outcomes, reasons);
  const groups = [...new Set(tests.map(({ name }) => groupOf(name)))].sort();
  const rows = [...groups, 'all'].map((group) => {
    const own = group === 'all' ? tests : tests.filter(({ name }) => groupOf(name) === group);
    const { all, passed, known, unknown, notRun } = summaryOf(own, outcomes, reasons);
    return [group, ...[all, passed, known.length + unknown.length, notRun].map(String)];
  });
  return [
    markdownTable([['', 'all', 'passed', 'failed', 'not run'], ...rows]),
    ...summary.unknown.map(({ name, reason }) => `failed: ${name}\n  ${reason}`),
    ...summary.known.map(({ name }) => `failed, as is known: ${name}\n  ${reasons[name]}`),
    ...summary.mended.map((name) => `passed, though conformance/known.ts has a reason why not: ${name}`),
  ].join('\n');
}

/** `sig-node` of `[sig-node] Pods should …`. */
function groupOf(name: string): string {
  return /^\[(sig-[\w-]+)\]/.exec(name)?.[1] ?? 'other';
}
