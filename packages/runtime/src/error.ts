export { messageOf } from '@kurator/client/notation';

/** Stable, searchable codes of everything that can go wrong here: docs/reference/errors.md lists them. */
export type RuntimeErrorCode = `KUR_RUNTIME_${string}`;

/** What an error has besides its code and message. */
export interface RuntimeErrorOptions {
  /** What the reader can do about it, as one sentence or one command. */
  remedy?: string;
  cause?: unknown;
}

/** The one error class of this package: a code to search for, a message that says what happened, and a remedy. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  readonly remedy: string | undefined;

  constructor(code: RuntimeErrorCode, message: string, options: RuntimeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RuntimeError';
    this.code = code;
    this.remedy = options.remedy;
  }
}
