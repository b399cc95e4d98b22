/** Stable, searchable codes of what the command itself finds wrong. */
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
