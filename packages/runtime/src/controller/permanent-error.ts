import { RuntimeError } from '../error.ts';

/** What a {@link PermanentError} may know beyond its message. */
export interface PermanentErrorOptions {
  /** For the condition: one word in CamelCase, for example `InvalidSchedule`; `PermanentError` unless given. */
  reason?: string;
  /** What the author of the object can do about it. */
  remedy?: string;
  cause?: unknown;
}

/**
 * Thrown by a reconcile that no retry can help, for example because the spec contradicts itself: the object is left
 * alone until something changes, and the message is shown on it.
 */
export class PermanentError extends RuntimeError {
  readonly reason: string;

  constructor(message: string, { reason = 'PermanentError', ...options }: PermanentErrorOptions = {}) {
    super('KUR_RUNTIME_PERMANENT', message, options);
    this.name = 'PermanentError';
    this.reason = reason;
  }
}
