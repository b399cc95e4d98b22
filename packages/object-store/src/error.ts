/** Stable, searchable codes of everything that can go wrong between this process and a store. */
export type ObjectStoreErrorCode =
  /** An option or argument makes no sense; the message names it. */
  | 'KUR_STORE_OPTION'
  /** The key can't be the name of an object in both kinds of store. */
  | 'KUR_STORE_KEY'
  | 'KUR_STORE_NOT_FOUND'
  /** `ifAbsent`: there is an object of this key, and it is not this call's. */
  | 'KUR_STORE_EXISTS'
  /** `ifMatch`: the object is another one now, or gone; or it was replaced while it was read. */
  | 'KUR_STORE_CHANGED'
  /** An answer was lost, and the object is somebody else's now: ours was never written, or it has been replaced. */
  | 'KUR_STORE_UNCERTAIN'
  | 'KUR_STORE_NO_BUCKET'
  /** The server doesn't know the key id, or the signature is wrong, or the session is over. */
  | 'KUR_STORE_CREDENTIALS'
  | 'KUR_STORE_FORBIDDEN'
  /** This machine's clock and the server's differ by more than the server allows, also after a correction. */
  | 'KUR_STORE_CLOCK'
  /** The bucket is in another region than the one that was given. */
  | 'KUR_STORE_REGION'
  | 'KUR_STORE_UNREACHABLE'
  | 'KUR_STORE_TLS'
  | 'KUR_STORE_TIMEOUT'
  /** The server has a fault of its own, or is too busy, for longer than the retries last. */
  | 'KUR_STORE_SERVER'
  /** The content is not what its digest says. */
  | 'KUR_STORE_DIGEST'
  | 'KUR_STORE_TOO_LARGE'
  /** No space is left, or a quota is used up. */
  | 'KUR_STORE_FULL'
  /** The server, or a file of the folder, says something that makes no sense. */
  | 'KUR_STORE_BAD_RESPONSE'
  /** The store says that it did a thing, and did not: `checkStore` found out. */
  | 'KUR_STORE_UNFIT'
  /** Any other refusal. */
  | 'KUR_STORE_REFUSED';

/** What an {@link ObjectStoreError} may know beyond its code and message. */
export interface ObjectStoreErrorDetails {
  readonly key?: string | undefined;
  /** HTTP status, where a server answered. */
  readonly status?: number | undefined;
  /** The server's own word, for example `NoSuchKey`, or the system's, for example `ENOSPC`. */
  readonly reason?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The one error class of this package. Its message names the store, the key and the remedy; `code` is for programs. It
 * never holds credentials, headers or content, so it can be logged as it is.
 */
export class ObjectStoreError extends Error {
  readonly code: ObjectStoreErrorCode;
  /** The object it is about, if it is about one. */
  readonly key: string | undefined;
  /** HTTP status, where a server answered. */
  readonly status: number | undefined;
  /** The server's own word, for example `NoSuchKey`, or the system's, for example `ENOSPC`. */
  readonly reason: string | undefined;

  constructor(code: ObjectStoreErrorCode, message: string, details: ObjectStoreErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ObjectStoreError';
    this.code = code;
    this.key = details.key;
    this.status = details.status;
    this.reason = details.reason;
  }
}

/** Whether `error` is one of this package's, with one of these codes. */
export function isStoreError(error: unknown, ...codes: readonly ObjectStoreErrorCode[]): error is ObjectStoreError {
  return error instanceof ObjectStoreError && (codes.length === 0 || codes.includes(error.code));
}
