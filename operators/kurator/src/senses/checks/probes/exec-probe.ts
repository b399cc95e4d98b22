/** Runs a command in the target's container. How it gets there is given from outside: checks/ knows no API server. */
import type { ExecProbe } from '../check.ts';
import { must } from '../check.ts';
import { type Finding, findingOf, type StartProbe } from './probe-run.ts';

/** What is to be run, and where. */
export interface ExecRequest extends Omit<ExecProbe, 'kind'> {
  /** Fires when nobody waits any more: the command's streams are to be closed. */
  readonly signal: AbortSignal;
  /** As much of stdout and stderr together is kept; the rest is read and dropped. */
  readonly outputBytes: number;
  /** To be called once the command runs: from then on it is the target that is slow, not the way to it. */
  started(): void;
}

/**
 * Runs a command in a container. Resolves when it has ended, with its exit code; rejects when it could not be started,
 * or when nobody can say how it ended.
 */
export type Exec = (request: ExecRequest) => Promise<{ readonly exitCode: number; readonly output: string }>;

/** What an {@link Exec} rejects with where nobody has allowed it to run commands. */
export class ExecDenied extends Error {
  override readonly name = 'ExecDenied';
}

const OUTPUT_BYTES = 1024;

/** Throws `InvalidCheck` where the probe can't be run. */
export function prepareExec(probe: ExecProbe, exec: Exec | undefined): StartProbe {
  must(exec !== undefined, 'commands in containers are not enabled for this operator');
  must((probe.command[0] ?? '') !== '', 'command must name a program');
  const { kind: _, ...where } = probe;
  return (report) => startExec(where, exec, report);
}

function startExec(where: Omit<ExecProbe, 'kind'>, exec: Exec, report: (finding: Finding) => void) {
  const stop = new AbortController();
  let isStarted = false;
  let over = false;
  const finish = (finding: Finding) => {
    if (over) return;
    over = true;
    report(finding);
  };
  const started = () => {
    isStarted = true;
  };
  // In a promise, so that a function that throws at once is a rejection like any other.
  Promise.resolve()
    .then(() => exec({ ...where, signal: stop.signal, outputBytes: OUTPUT_BYTES, started }))
    .then(
      ({ exitCode, output }) => finish(findingOfExit(exitCode, output)),
      (error: unknown) => finish(findingOfRejection(error)),
    );
  return {
    expire() {
      finish(isStarted ? findingOf('exec-timeout', '') : findingOf('exec-unavailable', 'could not be started in time'));
      stop.abort();
    },
    abandon() {
      over = true;
      stop.abort();
    },
  };
}

function findingOfRejection(error: unknown): Finding {
  const kind = error instanceof ExecDenied ? 'exec-denied' : 'exec-unavailable';
  return findingOf(kind, String((error as Error)?.message ?? error));
}

function findingOfExit(exitCode: number, output: string): Finding {
  if (exitCode === 0) return { outcome: 'healthy', message: '' };
  const said = output.trim();
  return findingOf('exit-code', said === '' ? `ended with ${exitCode}` : `ended with ${exitCode}: ${said}`);
}
