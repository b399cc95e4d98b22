/** What one run of one check found: a single result. How many of them make a fault is for others to judge. */
import type { CheckKey } from './check.ts';
import type { ErrorKind, Outcome } from './error-kind.ts';

/** What was found, and how long it took. */
export interface Measurement {
  readonly outcome: Outcome;
  /** Missing when healthy. */
  readonly errorKind?: ErrorKind;
  /** For people; at most {@link messageLength} printable characters, empty when healthy. */
  readonly message: string;
  /** When the run ended, in milliseconds since 1970. */
  readonly at: number;
  /** From start to end, without the time in which the checker itself was held up. */
  readonly latencyMs: number;
  /** For how long the checker itself was held up meanwhile; missing when it was not. */
  readonly heldUpMs?: number;
  /**
   * Until the TCP connection was open, without the time in which the checker itself was held up. A lost SYN costs
   * about 1 s, two of them about 3 s. Missing when no connection was opened.
   */
  readonly connectMs?: number;
  /** The HTTP status, or the gRPC status where that is not 0. */
  readonly statusCode?: number;
  /** When the server's certificate ends, in milliseconds since 1970; also where it was refused. */
  readonly certificateExpiresAt?: number;
}

/** A {@link Measurement} with the check that it is of. */
export interface CheckResult extends CheckKey, Measurement {}

/** The longest message of a result. */
export const messageLength = 240;

/** Makes text from elsewhere fit for a message: printable, on one line, of bounded length. */
export function printable(text: string, length = messageLength): string {
  // Cut before and after: replacing in a megabyte would cost more than the check.
  const clean = text.slice(0, length * 2).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
  return clean.length <= length ? clean : `${clean.slice(0, length - 1)}…`;
}
