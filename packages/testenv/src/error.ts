export { messageOf } from '@kurator/client/notation';

/** Stable, searchable codes of everything that can go wrong here: docs/reference/errors.md lists them. */
export type TestenvErrorCode = `KUR_TESTENV_${string}`;

/** What an error has besides its code and message. */
export interface TestenvErrorOptions {
  /** What the reader can do about it, as one sentence or one command. */
  remedy?: string;
  cause?: unknown;
}

/** The one error class of this package: a code to search for, a message that says what happened, and a remedy. */
export class TestenvError extends Error {
  readonly code: TestenvErrorCode;
  readonly remedy: string | undefined;

  constructor(code: TestenvErrorCode, message: string, options: TestenvErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TestenvError';
    this.code = code;
    this.remedy = options.remedy;
  }
}
