/** Stable, searchable codes of everything that can go wrong here: docs/reference/errors.md lists them. */
export type SchemaErrorCode = `KUR_SCHEMA_${string}`;

/** What an error has besides its code and message. */
export interface SchemaErrorOptions {
  /** Where in the declaration, for example `spec.ports[].name`. */
  path?: string;
  /** What to write instead, as one sentence. */
  remedy?: string;
  cause?: unknown;
}

/** The one error class of this package: a code to search for, the place in the declaration, and what to write instead. */
export class SchemaError extends Error {
  readonly code: SchemaErrorCode;
  /** Where in the declaration; empty where it is about the whole. */
  readonly path: string;
  readonly remedy: string | undefined;

  constructor(code: SchemaErrorCode, message: string, options: SchemaErrorOptions = {}) {
    const place = options.path ? `${options.path}: ` : '';
    super(`${place}${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SchemaError';
    this.code = code;
    this.path = options.path ?? '';
    this.remedy = options.remedy;
  }
}
