/** Reads what ginkgo says, in its output and in its reports: the tests there are, and how they came out. Pure. */
import type { Outcome, Test } from './outcome.ts';

/** Of ginkgo's JSON report, what is read here. */
export interface GinkgoReport {
  readonly SpecReports?: readonly SpecReport[] | null;
}

interface SpecReport {
  readonly LeafNodeType: string;
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  /** Nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string; readonly ForwardedPanic?: string };
}

/** The tests that a dry run would run, by name: ginkgo shuffles them. */
export function testsIn(reports: readonly GinkgoReport[]): Test[] {
  return specsOf(reports)
    .filter(({ State }) => State === 'passed')
    .map(nameOf)
    .sort()
    .map((name) => ({ name, isSerial: name.includes('[Serial]') }));
}

/** What was run. A test that skips itself says that the cluster lacks something, which conformance does not allow. */
export function outcomesIn(reports: readonly GinkgoReport[]): Outcome[] {
  return specsOf(reports).flatMap((spec): Outcome[] => {
    const wasRun = spec.State !== 'pending' && (spec.State !== 'skipped' || spec.RunTime > 0);
    // Who is interrupted did not fail: it is run again by the next call.
    if (!wasRun || spec.State === 'interrupted' || spec.State === 'aborted') return [];
    const common = { name: nameOf(spec), seconds: Math.round(spec.RunTime / 1e8) / 10 };
    return [
      spec.State === 'passed' ? { ...common, state: 'passed' } : { ...common, state: 'failed', reason: reasonOf(spec) },
    ];
  });
}

const RULE = '-'.repeat(30);

/**
 * Reads ginkgo's output line by line, and gives a test that passed as soon as that is said: `• [1.23 seconds]`. Its name
 * is the next line if several run side by side, and the first one below a rule if each runs alone, with all that the test
 * says in between. Why one failed is in the report alone.
 */
export function passedReader(tests: readonly Test[]): (line: string) => Outcome | undefined {
  const namedBy = (line: string) => tests.find(({ name }) => line === name || line.startsWith(`${name} [`));
  let before = '';
  let running: Test | undefined;
  return (line) => {
    if (line === RULE) running = undefined;
    else if (before === RULE) running = namedBy(line);
    const seconds = secondsOf(running ? line : before);
    const test = seconds === undefined ? undefined : (running ?? namedBy(line));
    before = line;
    return test && seconds !== undefined ? { name: test.name, state: 'passed', seconds } : undefined;
  };
}

function secondsOf(line: string): number | undefined {
  const said = /^• \[([\d.]+) seconds\]$/.exec(line)?.[1];
  return said === undefined ? undefined : Math.round(Number(said) * 10) / 10;
}

/** Why nothing of a part was run: its preparation failed. */
export function trouble(reports: readonly GinkgoReport[]): string | undefined {
  const failed = reports
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .find(({ LeafNodeType, State }) => LeafNodeType !== 'It' && State === 'failed');
  return failed && `${failed.LeafNodeType}: ${reasonOf(failed)}`;
}

function specsOf(reports: readonly GinkgoReport[]): SpecReport[] {
  return reports.flatMap(({ SpecReports }) => SpecReports ?? []).filter(({ LeafNodeType }) => LeafNodeType === 'It');
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].filter((text) => text !== '').join(' ');
}

const LONGEST = 240;

function reasonOf({ State, Failure }: SpecReport): string {
  const lines = (Failure?.ForwardedPanic || Failure?.Message || '').split('\n').map((line) => line.trim());
  const said = lines.find((line) => line !== '') ?? 'nothing was said';
  return `${State === 'failed' ? '' : `${State}: `}${said}`.slice(0, LONGEST);
}
