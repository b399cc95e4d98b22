/** What a shell learns from how the command ended. */
import { constants } from 'node:os';
import { Interrupted } from './error.ts';

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
