/** What the command itself finds wrong, and what a shell learns from how it ended. */
import { constants } from 'node:os';

/** Stable, searchable codes. */
export type CliErrorCode = `KUR_CLI_${string}`;

/** A mistake that only the command line can see: a code to search for, a message, and a remedy. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly remedy: string | undefined;

  constructor(code: CliErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.code = code;
    this.remedy = options.remedy;
  }
}

/** Ctrl-C, or a polite request to end. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.name = 'Interrupted';
    this.signal = signal;
  }
}

/** Something went wrong. */
export const FAILURE = 1;
/** The command was not understood, so nothing was done. */
export const USAGE = 2;

/** Codes of errors that say that the input was wrong. */
const usageCodes = new Set([
  'KUR_TESTENV_OPTION',
  'KUR_TESTENV_UNKNOWN_VERSION',
  'KUR_TESTENV_FAULT_REQUEST',
  'KUR_CLI_USAGE',
  'KUR_CLI_NOT_CONFIRMED',
  'KUR_CLI_NOT_INSTALLED',
]);

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return exitCodeOfSignal(error.signal);
  return usageCodes.has((error as { code?: string }).code ?? '') ? USAGE : FAILURE;
}

/** As shells count: 130 for SIGINT. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
