import type { Reporter } from '../../src/reporter.ts';

/** Keeps what it hears, for a test to read. */
export interface RecordingReporter extends Reporter {
  readonly lines: readonly string[];
  readonly fractions: readonly number[];
}

/** A reporter that says nothing and forgets nothing. */
export function recordingReporter(): RecordingReporter {
  const lines: string[] = [];
  const fractions: number[] = [];
  return {
    lines,
    fractions,
    info: (line) => lines.push(line),
    verbose: (line) => lines.push(line),
    progress: (_task, fraction) => {
      if (fraction !== undefined) fractions.push(fraction);
    },
  };
}
