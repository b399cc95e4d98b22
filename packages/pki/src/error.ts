/** Stable, searchable codes of everything that can go wrong here: docs/reference/errors.md lists them. */
export type PkiErrorCode =
  /** What was asked for can't be certified; the message names the field. */
  | 'KUR_PKI_REQUEST'
  /** The authority is not valid at the time that the certificate would begin. */
  | 'KUR_PKI_AUTHORITY'
  /** It is not a certificate, not a key, or the two don't belong together. */
  | 'KUR_PKI_UNREADABLE';

/**
 * The one error class of this package: a code to search for, a message that says what happened, and a remedy. It never
 * quotes what could not be read: that may be a key.
 */
export class PkiError extends Error {
  readonly code: PkiErrorCode;
  /** What the reader can do about it, as one sentence. */
  readonly remedy: string;

  constructor(code: PkiErrorCode, message: string, remedy: string) {
    super(message);
    this.name = 'PkiError';
    this.code = code;
    this.remedy = remedy;
  }
}
