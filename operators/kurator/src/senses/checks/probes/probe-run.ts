/** One run of a probe: started, then ended by itself, by its deadline, or because nobody wants the answer any more. */
import { type Measurement, printable } from '../check-result.ts';
import { type ErrorKind, errorKinds } from '../error-kind.ts';

/** What a run found. When, and how long it took, is added by whoever started it. */
export type Finding = Omit<Measurement, 'at' | 'latencyMs' | 'heldUpMs'>;

/** A run that is under way. It reports once at most, and never before it was handed out. */
export interface ProbeRun {
  /** The deadline has passed: reports, at once, how far it came. */
  expire(): void;
  /** Ends without a report. */
  abandon(): void;
}

/** Starts one run. */
export type StartProbe = (report: (finding: Finding) => void) => ProbeRun;

/** What is known besides the error. */
export type Details = Pick<Finding, 'connectMs' | 'statusCode' | 'certificateExpiresAt'>;

/** A finding that is not healthy; the outcome follows from the kind. */
export function findingOf(errorKind: ErrorKind, message: string, details: Details = {}): Finding {
  const { outcome, reason } = errorKinds[errorKind];
  return { outcome, errorKind, message: printable(message || reason), ...details };
}

/** A run that finds the same each time: for a check that can't be run. */
export function alwaysFinds(finding: Finding): StartProbe {
  return (report) => {
    const timer = setImmediate(report, finding);
    const end = () => clearImmediate(timer);
    return {
      abandon: end,
      expire() {
        end();
        report(finding);
      },
    };
  };
}
