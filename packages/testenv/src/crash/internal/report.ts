/** What came of all plans, for people. */
import { type CrashMoment, moments, type Plan, planText } from './plan.ts';

/** What came of one. `missed`: the write never came, so nothing is known. */
export interface PlanResult extends Plan {
  readonly outcome: 'passed' | 'failed' | 'missed';
  /** What went wrong. */
  readonly reasons: readonly string[];
}

/** What a test with crashes has come to. */
export interface CrashReport {
  /** What an operator writes whom nobody disturbs, in its order: `apply deployments.apps/web #1`. */
  readonly writes: readonly string[];
  /** Writes that came in only one of two undisturbed runs: nobody was killed there. */
  readonly unsteady: readonly string[];
  /** One for each place where it was killed. */
  readonly results: readonly PlanResult[];
  /** How many places there are. */
  readonly places: number;
  /** As a table. */
  toString(): string;
}

const words: Readonly<Record<PlanResult['outcome'], string>> = { passed: 'ok', failed: 'FAILED', missed: 'missed' };

/** A row for each write, a column for each moment. */
export function tableOf({ writes, unsteady, results, places }: Omit<CrashReport, 'toString'>): string {
  const cell = (write: string, when: CrashMoment) => {
    const result = results.find((one) => one.write === write && one.when === when);
    return result ? words[result.outcome] : '-';
  };
  const rows = [
    ['write', ...moments],
    ...writes
      .filter((write) => !unsteady.includes(write))
      .map((write) => [write, ...moments.map((when) => cell(write, when))]),
  ];
  const width = Math.max(...rows.map(([write = '']) => write.length));
  const lines = rows.map(
    ([write = '', ...cells]) => `${write.padEnd(width)}  ${cells.map((one) => one.padEnd(6)).join('  ')}`,
  );
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const missed = count('missed') > 0 ? `, ${count('missed')} missed: the write did not come` : '';
  const summary = `killed at ${results.length} of ${places} places: ${count('passed')} ok, ${count('failed')} failed${missed}`;
  const left = unsteady.length > 0 ? [`left out, for not every undisturbed run has them: ${unsteady.join('; ')}`] : [];
  return [...lines.map((line) => line.trimEnd()), summary, ...left].join('\n');
}

/** At most so many lines of one failure: a failed test is read by a person. */
const TOLD = 10;

/** The failures, each with the command that does it again. */
export function failuresText(results: readonly PlanResult[], replay: (plan: Plan) => string): string {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const texts = failed.map((result) => {
    const more = result.reasons.length > TOLD ? [`… and ${result.reasons.length - TOLD} more`] : [];
    const reasons = [...result.reasons.slice(0, TOLD), ...more].map((line) => `  ${line}`);
    return [`killed ${planText(result)}:`, ...reasons, `  again: ${replay(result)}`].join('\n');
  });
  return texts.join('\n');
}
